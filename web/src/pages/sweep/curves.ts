// The points of a sweep as curves. All numbers are those of the tables: here they get names and places.
import type { SweepAnswer, SweepPoint, Table } from "../../api/types";
import { Row } from "../../table/row";
import { formatValue, type Unit } from "../../widgets/format";
import type { ChartMark, ChartSeries, Tick } from "../../widgets/LineChart";

export const tableOf = (answer: SweepAnswer, name: string): Table | undefined => answer.tables.find((table) => table.name === name);

const rowsOfTable = (table: Table | undefined): Row[] => table?.rows.map((cells) => new Row(table, cells)) ?? [];

export interface Measure {
  value: readonly string[]; // columns of the points, the first that a point tells
  spread?: readonly [string, string];
  unit: Unit;
  noun: string; // "a second"
}

export const THROUGHPUT: Measure = { value: ["throughput_per_s"], spread: ["throughput_least_per_s", "throughput_most_per_s"], unit: "none", noun: "a second" };
export const LATENCY: Measure = { value: ["latency_ns"], spread: ["latency_least_ns", "latency_most_ns"], unit: "ns", noun: "an iteration" };
// What devices hold, or else the process.
export const MEMORY: Measure = { value: ["memory_bytes", "rss_bytes"], unit: "bytes", noun: "at most" };

export interface Measured {
  point: SweepPoint;
  row: Row;
}

export function measured(answer: SweepAnswer): Measured[] {
  const rows = rowsOfTable(tableOf(answer, "points"));
  return answer.points.flatMap((point, at) => (rows[at] ? [{ point, row: rows[at] }] : []));
}

const ONE = "all points";

// A line where it holds, over the work of the points; from 0 where work is what the curves are over.
export function fitOf(answer: SweepAnswer, series: string, points: readonly Measured[]): { x: number; y: number }[] | undefined {
  const fit = rowsOfTable(tableOf(answer, "fit")).find((row) => (row.text("series") ?? "") === series);
  const [baseline, slope] = [fit?.number("baseline_ns") ?? null, fit?.number("slope_ns") ?? null];
  if (fit?.get("holds") !== true || baseline === null || slope === null) return undefined;
  const own = points.flatMap(({ point }) => (point.x !== null && point.work !== null ? [{ x: point.x, y: baseline + slope * point.work }] : [])).sort((a, b) => a.x - b.x);
  return answer.work === answer.x && baseline >= 0 ? [{ x: 0, y: baseline }, ...own] : own;
}

// Where a point lies: by the value that is varied, or by the latency that it has.
type XOf = (each: Measured) => number | null;
const byValue: XOf = ({ point }) => point.x;
export const byLatency: XOf = ({ row }) => row.number("latency_ns");

export function curvesOf(answer: SweepAnswer, measure: Measure, withFit = false, xOf: XOf = byValue): ChartSeries[] {
  const series = new Map<string, Measured[]>();
  for (const each of measured(answer)) series.set(each.point.series, [...(series.get(each.point.series) ?? []), each]);
  return [...series].flatMap(([name, all]) => {
    const told = [...all].sort((a, b) => (xOf(a) ?? 0) - (xOf(b) ?? 0)).flatMap((each) => {
      const { point, row } = each;
      const x = xOf(each);
      const y = measure.value.map((key) => row.number(key)).find((value) => value !== null) ?? null;
      if (x === null || y === null) return [];
      const [low, high] = measure.spread?.map((key) => row.number(key)) ?? [null, null];
      const between = low !== null && high !== null && low !== undefined && high !== undefined ? ([low, high] as const) : null;
      const spread = between ? `, ${formatValue(between[0], measure.unit)} to ${formatValue(between[1], measure.unit)} over ${String(row.number("runs") ?? 0)} runs` : ", measured once";
      return [{ key: point.name, x, y, spread: between, about: `${point.name}: ${formatValue(y, measure.unit)} ${measure.noun}${measure.spread ? spread : ""}` }];
    });
    const fit = withFit ? fitOf(answer, name, all) : undefined;
    return told.length > 0 ? [{ name: name || ONE, points: told, ...(fit ? { fit } : {}) }] : [];
  });
}

// Two sweeps in one picture: each curve has the name of its sweep. Points of the one before have keys of their own.
const namedAs = (sweep: string, series: string): string => (series === ONE ? sweep : `${sweep}: ${series}`);

export const curvesAfter = (answer: SweepAnswer, name: string, measure: Measure, xOf?: XOf): ChartSeries[] =>
  curvesOf(answer, measure, false, xOf).map((series) => ({ ...series, name: namedAs(name, series.name) }));

export const keyBefore = (point: string): string => `before ${point}`;

export function curvesBefore(answer: SweepAnswer, name: string, measure: Measure, xOf?: XOf): ChartSeries[] {
  return curvesOf(answer, measure, false, xOf).map((series) => ({
    name: namedAs(name, series.name),
    dotted: true,
    points: series.points.map((point) => ({ ...point, key: keyBefore(point.key), about: `${name}, ${point.about}` })),
  }));
}

// What `opsight estimate` said that the network takes at least, as far as that was asked for.
const PREDICTED: Measure = { value: ["predicted_ns"], unit: "ns", noun: "at least, as predicted" };

export const predictedOf = (answer: SweepAnswer): ChartSeries[] =>
  curvesOf(answer, PREDICTED).map((series) => ({
    name: series.name === ONE ? "predicted least" : `predicted least: ${series.name}`,
    dotted: true,
    points: series.points.map((point) => ({ ...point, key: `predicted ${point.key}` })),
  }));

// Where throughput bends and is flat, as far as that is claimed.
export function marksOf(answer: SweepAnswer): ChartMark[] {
  const rows = rowsOfTable(tableOf(answer, "curve"));
  const of = (row: Row) => (rows.length > 1 && row.text("series") ? `: ${row.text("series") ?? ""}` : "");
  const all = rows.flatMap((row) =>
    (["knee", "saturation"] as const).flatMap((what) => {
      const x = row.number(what);
      return x === null ? [] : [{ x, text: `${what === "knee" ? "knee" : "saturated"}${of(row)}` }];
    }),
  );
  const places = [...new Set(all.map((mark) => mark.x))];
  return places.map((x) => ({ x, text: all.filter((mark) => mark.x === x).map((mark) => mark.text).join(", ") }));
}

export const ticksOf = (series: readonly ChartSeries[], unit: Unit = "none"): Tick[] =>
  [...new Set(series.flatMap((each) => each.points.map((point) => point.x)))]
    .sort((a, b) => a - b)
    .map((at) => ({ at, text: unit === "none" ? String(at) : formatValue(at, unit) }));

export const allAbove = (values: readonly number[]): boolean => values.every((value) => value > 0);
