// Runs of a store as points of a picture, by what they are labelled with.
import type { RunLabels, Table } from "../../api/types";
import { Row } from "../../table/row";
import { exactValue } from "../../widgets/format";
import type { ChartMark, ChartSeries, Tick } from "../../widgets/LineChart";

const MOST_SERIES = 6; // as many as there are shapes
const REST = "other values";
const UNLABELLED = "without the label";

export type LabelsByRun = ReadonlyMap<string, ReadonlyMap<string, string>>;

export const labelsByRun = (answer: RunLabels | undefined): LabelsByRun =>
  new Map(answer?.runs.map(({ run, labels }) => [run, new Map(labels.map(({ label, value }) => [label, value]))]));

// Labels that tell runs apart: with two values at least.
export function tellingLabels(labels: LabelsByRun): string[] {
  const values = new Map<string, Set<string>>();
  for (const own of labels.values()) for (const [label, value] of own) values.set(label, (values.get(label) ?? new Set()).add(value));
  return [...values].filter(([, each]) => each.size > 1).map(([label]) => label).sort((a, b) => a.localeCompare(b));
}

// The one of few values whose values most runs share with others.
export function usualLabel(labels: LabelsByRun): string | null {
  const shared = (label: string): number => {
    const sizes = new Map<string, number>();
    for (const own of labels.values()) {
      const value = own.get(label);
      if (value !== undefined) sizes.set(value, (sizes.get(value) ?? 0) + 1);
    }
    return sizes.size > MOST_SERIES ? 0 : [...sizes.values()].reduce((sum, size) => sum + (size > 1 ? size : 0), 0);
  };
  const best = tellingLabels(labels).map((label) => ({ label, count: shared(label) })).sort((a, b) => b.count - a.count)[0];
  return best && best.count > 0 ? best.label : null;
}

function seriesName(labels: LabelsByRun, run: string, by: string | null): string {
  return by === null ? "all runs" : (labels.get(run)?.get(by) ?? UNLABELLED);
}

const dayOf = (moment: string | null): string => moment?.slice(0, 10) ?? "";

export interface Picture {
  series: ChartSeries[];
  ticks: Tick[];
  left: number; // runs without a time
  spread: number; // the longest iteration over the shortest
}

// In the order of the table, which is that of recording.
export function pictureOf(table: Table, labels: LabelsByRun, by: string | null): Picture {
  const series = new Map<string, ChartSeries["points"][number][]>();
  const sizes = new Map<string, number>();
  const rows = table.rows.map((cells) => new Row(table, cells)).filter((row) => (row.number("iteration_ns") ?? 0) > 0);
  for (const row of rows) {
    const name = seriesName(labels, row.text("run") ?? "", by);
    sizes.set(name, (sizes.get(name) ?? 0) + 1);
  }
  const largest = [...sizes].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const own = new Set(largest.length > MOST_SERIES ? largest.slice(0, MOST_SERIES - 1) : largest);
  rows.forEach((row, at) => {
    const name = seriesName(labels, row.text("run") ?? "", by);
    const into = own.has(name) ? name : REST;
    const ns = row.number("iteration_ns") ?? 0;
    const said = [row.text("name"), row.text("recorded"), row.text("labels")].filter(Boolean).join(", ");
    series.set(into, [...(series.get(into) ?? []), { key: row.text("run") ?? "", x: at, y: ns, about: `${said}: ${exactValue(ns, "ns")} an iteration` }]);
  });
  const names = [...own].sort((a, b) => a.localeCompare(b));
  const times = rows.map((row) => row.number("iteration_ns") ?? 0);
  return {
    series: [...names, REST].flatMap((name) => (series.has(name) ? [{ name, points: series.get(name) ?? [] }] : [])),
    ticks: rows.flatMap((row, at) => (dayOf(row.text("recorded")) && dayOf(row.text("recorded")) !== dayOf(rows[at - 1]?.text("recorded") ?? null) ? [{ at, text: dayOf(row.text("recorded")) }] : [])),
    left: table.rows.length - rows.length,
    spread: times.length > 0 ? Math.max(...times) / Math.min(...times) : 1,
  };
}

// Where `opsight fleet trend` found that the time of an iteration changed.
export function changesIn(changes: Table | undefined, picture: Picture): ChartMark[] {
  const places = new Map(picture.series.flatMap((each) => each.points.map((point) => [point.key, point.x])));
  return (changes?.rows ?? [])
    .map((cells) => new Row(changes as Table, cells))
    .flatMap((row) => {
      const x = row.text("of") === "iteration time" ? places.get(row.text("run") ?? "") : undefined;
      return x === undefined ? [] : [{ x, text: `change at ${row.text("name") ?? ""}` }];
    });
}
