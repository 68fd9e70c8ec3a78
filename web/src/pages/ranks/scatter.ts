// Collectives of one kind, group and size as points: their size against their bus bandwidth, both logarithmic.
import { wholeRow, type Row } from "../../table/row";

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

export const SHAPES = ["circle", "square", "up", "diamond", "down", "cross"] as const;
export type Shape = (typeof SHAPES)[number];

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

// Powers of `base` around all values.
export function bounds(values: readonly number[], base: number): [number, number] {
  const low = Math.floor(Math.log(Math.min(...values)) / Math.log(base) + 1e-9);
  const high = Math.ceil(Math.log(Math.max(...values)) / Math.log(base) - 1e-9);
  return [base ** low, base ** Math.max(high, low + 1)];
}

// Powers of `base` from one bound to the other, so many that each has room.
export function powersIn([from, to]: readonly [number, number], base: number, room: number): number[] {
  const count = Math.round(Math.log(to / from) / Math.log(base));
  const every = Math.max(1, Math.ceil(count / Math.max(1, room)));
  return Array.from({ length: Math.floor(count / every) + 1 }, (_, at) => from * base ** (at * every));
}

export const along = (value: number, [from, to]: readonly [number, number]): number => Math.log(value / from) / Math.log(to / from);

// A shape around a point, as a path.
export function pathOf(shape: Shape, x: number, y: number, r: number): string {
  const at = (dx: number, dy: number) => `${(x + dx).toFixed(1)} ${(y + dy).toFixed(1)}`;
  switch (shape) {
    case "circle":
      return `M${at(-r, 0)}a${String(r)} ${String(r)} 0 1 0 ${String(2 * r)} 0a${String(r)} ${String(r)} 0 1 0 ${String(-2 * r)} 0Z`;
    case "square":
      return `M${at(-r, -r)}L${at(r, -r)}L${at(r, r)}L${at(-r, r)}Z`;
    case "up":
      return `M${at(0, -r)}L${at(r, r)}L${at(-r, r)}Z`;
    case "down":
      return `M${at(0, r)}L${at(r, -r)}L${at(-r, -r)}Z`;
    case "diamond":
      return `M${at(0, -1.3 * r)}L${at(1.3 * r, 0)}L${at(0, 1.3 * r)}L${at(-1.3 * r, 0)}Z`;
    case "cross": {
      const t = r * 0.4;
      return `M${at(-t, -r)}L${at(t, -r)}L${at(t, -t)}L${at(r, -t)}L${at(r, t)}L${at(t, t)}L${at(t, r)}L${at(-t, r)}L${at(-t, t)}L${at(-r, t)}L${at(-r, -t)}L${at(-t, -t)}Z`;
    }
  }
}
