// What runs are called in the tables of a store.
import type { Table } from "../../api/types";
import type { TableProps } from "../../table/props";
import { rowsOf } from "../../table/row";

export const RUNS: readonly string[] = ["run", "worst_run"]; // columns
const SHOWN_DIGITS = 12;

export const shortId = (run: string): string => run.slice(0, SHOWN_DIGITS);

export const shortIds: NonNullable<TableProps["cell"]> = (row, column) => (RUNS.includes(column.key) ? row.text(column.key)?.slice(0, SHOWN_DIGITS) : undefined);

// What runs are called by their ids, where that tells them apart.
export function ownNames(runs: Table | undefined): ReadonlyMap<string, string> {
  const names = (runs ? rowsOf(runs) : []).map((row): [string, string] => [row.text("run") ?? "", row.text("name") ?? ""]);
  const calledSo = new Map<string, number>();
  for (const [, name] of names) calledSo.set(name, (calledSo.get(name) ?? 0) + 1);
  return new Map(names.filter(([, name]) => name !== "" && calledSo.get(name) === 1));
}

export function namesOfRuns(runs: Table | undefined): NonNullable<TableProps["cell"]> {
  const names = ownNames(runs);
  return (row, column) => (column.key === "worst_run" ? names.get(row.text(column.key) ?? "") : undefined) ?? shortIds(row, column);
}
