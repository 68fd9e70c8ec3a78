// Mappings of a cloud as points: cycles to the right, energy upwards.
import type { CloudAnswer, Table } from "../../api/types";
import { rowsOf } from "../../table/row";

export interface CloudPoint {
  draw: string; // names it, also in the address
  cycles: number;
  energy: number; // pJ
  edp: number; // J*cycles
  words: number; // read, filled and updated at the outermost level
  pareto: boolean;
}

export const OBJECTIVES = ["energy", "delay", "edp", "last-level"] as const;

// What a script cannot hold exactly comes as text.
const amount = (cell: unknown): number => Number(cell ?? NaN);

export function pointsOf(table: Table): CloudPoint[] {
  return rowsOf(table).map((row) => ({
    draw: row.text("draw") ?? "",
    cycles: amount(row.get("cycles")),
    energy: amount(row.get("energy_pj")),
    edp: amount(row.get("edp_j_cycles")),
    words: amount(row.get("outer_accesses")),
    pareto: row.get("pareto") === true,
  }));
}

// The draw that has the least of an objective.
export function bestOf(answer: CloudAnswer, objective: string): string | null {
  return rowsOf(answer.best).find((row) => row.text("objective") === objective)?.text("draw") ?? null;
}

const SIZES = [
  [1e9, "mJ"],
  [1e6, "uJ"],
  [1e3, "nJ"],
] as const;

// As the command writes it.
export function formatEnergy(pj: number): string {
  const [factor, unit] = SIZES.find(([size]) => pj >= size) ?? [1, "pJ"];
  return `${String(Number((pj / factor).toPrecision(4)))} ${unit}`;
}

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

// An amount of any size with figures that say something.
export const formatAmount = (value: number): string => (Math.abs(value) >= 1000 ? grouped.format(value) : String(Number(value.toPrecision(4))));

export interface Mark {
  point: CloudPoint;
  x: number;
  y: number;
}

const CELL = 2; // pixels

// One mark for each little square that has points: of tens of thousands most lie on others.
export function thinned(points: readonly CloudPoint[], x: (cycles: number) => number, y: (energy: number) => number): Mark[] {
  const seen = new Set<string>();
  return points.flatMap((point) => {
    const mark = { point, x: x(point.cycles), y: y(point.energy) };
    const key = `${String(Math.round(mark.x / CELL))} ${String(Math.round(mark.y / CELL))}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return [mark];
  });
}

// The nearest of the marks that are no farther than `reach`.
export function nearestOf(marks: readonly Mark[], x: number, y: number, reach: number): Mark | null {
  let best: Mark | null = null;
  let least = reach * reach;
  for (const mark of marks) {
    const far = (mark.x - x) ** 2 + (mark.y - y) ** 2;
    if (far > least) continue;
    least = far;
    best = mark;
  }
  return best;
}

// The front as steps: what is to the right of a point and above it is no better.
export function stepsOf(front: readonly Mark[]): string {
  return front
    .flatMap((mark, at) => {
      const before = front[at - 1];
      return [...(before ? [`${mark.x.toFixed(1)},${before.y.toFixed(1)}`] : []), `${mark.x.toFixed(1)},${mark.y.toFixed(1)}`];
    })
    .join(" ");
}
