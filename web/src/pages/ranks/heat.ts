// Rank by iteration as a grid of cells, and the colours of their values.
import type { Column, Table } from "../../api/types";
import { Row } from "../../table/row";

export interface HeatCell {
  rank: number;
  iteration: number;
  value: number;
  begin: number | null;
  end: number | null;
}

export interface Heat {
  ranks: readonly { rank: number; host: string }[]; // by host, then by number
  iterations: readonly number[]; // rising
  cells: readonly HeatCell[]; // rising by value: what is large is drawn last, and is seen where cells are thin
  most: number;
  at: (row: number, column: number) => HeatCell | undefined;
}

// The columns that can be coloured by: every duration.
export const measures = (columns: readonly Column[]): Column[] => columns.filter((column) => column.unit === "ns" && column.role !== "moment");

// "Waiting for Ranks (ns)" as the legend says it.
export const withoutUnit = (header: string): string => header.replace(/ \((?:ns|%|bytes|bytes\/s)\)$/, "");

export function heatOf(table: Table, measure: string): Heat {
  const cells: HeatCell[] = [];
  const hosts = new Map<number, string>();
  const iterations = new Set<number>();
  for (const values of table.rows) {
    const row = new Row(table, values);
    const [rank, iteration, value] = [row.number("rank"), row.number("iteration"), row.number(measure)];
    if (rank === null || iteration === null) continue;
    hosts.set(rank, row.text("host") ?? "");
    iterations.add(iteration);
    if (value === null) continue;
    const begin = row.number("begin_ns");
    const length = row.number("duration_ns");
    cells.push({ rank, iteration, value, begin, end: begin === null || length === null ? null : begin + length });
  }
  cells.sort((a, b) => a.value - b.value);
  const ranks = [...hosts].map(([rank, host]) => ({ rank, host })).sort((a, b) => a.host.localeCompare(b.host) || a.rank - b.rank);
  const known = new Map(cells.map((cell) => [`${String(cell.rank)} ${String(cell.iteration)}`, cell]));
  const order = [...iterations].sort((a, b) => a - b);
  return {
    ranks,
    iterations: order,
    cells,
    most: cells.at(-1)?.value ?? 0,
    at: (row, column) => known.get(`${String(ranks[row]?.rank)} ${String(order[column])}`),
  };
}

// From dark blue over grey to yellow, as in cividis: its lightness rises evenly, so it reads alike for all kinds of sight
// and in grey.
const STOPS = [
  [0, 32, 77],
  [55, 77, 107],
  [107, 109, 113],
  [161, 144, 112],
  [212, 183, 88],
  [253, 231, 55],
] as const;

export function colorAt(part: number): string {
  const at = Math.min(1, Math.max(0, part)) * (STOPS.length - 1);
  const low = Math.min(STOPS.length - 2, Math.floor(at));
  const mixed = [0, 1, 2].map((i) => {
    const [from, to] = [STOPS[low]?.[i] ?? 0, STOPS[low + 1]?.[i] ?? 0];
    return Math.round(from + (to - from) * (at - low));
  });
  return `rgb(${mixed.join(" ")})`;
}

// Where a key leads from a cell; null: it is no key of the picture.
export function moved(cell: readonly [number, number], key: string, rows: number, columns: number): [number, number] | null {
  const steps: Record<string, readonly [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -columns], End: [0, columns], PageUp: [-rows, 0], PageDown: [rows, 0] };
  const step = steps[key];
  if (!step) return null;
  const within = (value: number, count: number) => Math.min(count - 1, Math.max(0, value));
  return [within(cell[0] + step[0], rows), within(cell[1] + step[1], columns)];
}
