// What runs are called in the tables of a store.
import type { Table } from "../../api/types";
import type { TableProps } from "../../table/props";
import { Row } from "../../table/row";

export const RUNS: readonly string[] = ["run", "worst_run"]; // columns
export const SHOWN_DIGITS = 12;

export const shortIds: NonNullable<TableProps["cell"]> = (row, column) => (RUNS.includes(column.key) ? row.text(column.key)?.slice(0, SHOWN_DIGITS) : undefined);

// Runs by what they are called, where that tells them apart.
export function namesOfRuns(runs: Table | undefined): NonNullable<TableProps["cell"]> {
  const names = new Map(runs?.rows.map((cells) => new Row(runs, cells)).map((row) => [row.text("run"), row.text("name")]));
  const calledSo = new Map<string | null, number>();
  for (const name of names.values()) calledSo.set(name, (calledSo.get(name) ?? 0) + 1);
  return (row, column) => {
    const name = column.key === "worst_run" ? names.get(row.text(column.key)) : undefined;
    return name && calledSo.get(name) === 1 ? name : shortIds(row, column);
  };
}
