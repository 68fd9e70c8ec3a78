// Collectives of one kind, group and size as points: their size against their bus bandwidth, both logarithmic.
import { wholeRow, type Row } from "../../table/row";
import { SHAPES, type Shape } from "../../widgets/marks";

export interface ScatterPoint {
  key: string;
  kind: string;
  group: string;
  bytes: number;
  rate: number; // bytes/s
  peak: number | null;
  link: string;
  count: number;
}

// Points that have both a size and a rate, and how many rows have not.
export function pointsOf(rows: readonly Row[]): { points: ScatterPoint[]; left: number } {
  const points: ScatterPoint[] = [];
  for (const row of rows) {
    const [bytes, rate] = [row.number("bytes"), row.number("bus_bytes_per_s")];
    if (bytes === null || rate === null || bytes <= 0 || rate <= 0) continue;
    points.push({
      key: wholeRow(row),
      kind: row.word("collective") ?? "",
      group: row.text("group") ?? "",
      bytes,
      rate,
      peak: row.number("peak_bytes_per_s"),
      link: row.text("link") ?? "",
      count: row.number("collectives") ?? 1,
    });
  }
  return { points, left: rows.length - points.length };
}

// The kinds, each with a shape; a colour alone would not tell them apart for everybody.
export function shapesOf(points: readonly ScatterPoint[]): Map<string, { shape: Shape; color: number }> {
  const kinds = [...new Set(points.map((point) => point.kind))].sort((a, b) => a.localeCompare(b));
  return new Map(kinds.map((kind, at) => [kind, { shape: SHAPES[at % SHAPES.length] ?? "circle", color: at % SHAPES.length }]));
}

// The peaks of links among the points, each once.
export function peaksOf(points: readonly ScatterPoint[]): { link: string; rate: number }[] {
  const peaks = new Map<string, number>();
  for (const { link, peak } of points) if (peak !== null && peak > 0) peaks.set(link, peak);
  return [...peaks].map(([link, rate]) => ({ link, rate }));
}
