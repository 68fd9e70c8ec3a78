// The steps from the time before to the time after, class by class of the budget.
import type { Table } from "../../api/types";

export interface Step {
  name: string;
  from: number; // ns
  to: number;
  change: number | null; // ns; null: not a change but the whole time before, or after
}

// Classes that did not change are left out.
export function stepsOf(budget: Table): Step[] {
  const at = (key: string): number => budget.columns.findIndex((column) => column.key === key);
  const [name, before, after, change] = [at("name"), at("base_ns"), at("new_ns"), at("difference_ns")];
  const number = (row: Table["rows"][number], column: number): number => Number(row[column] ?? 0);
  const sum = (column: number): number => budget.rows.reduce((all, row) => all + number(row, column), 0);
  const steps: Step[] = [{ name: "Before", from: 0, to: sum(before), change: null }];
  let now = sum(before);
  for (const row of budget.rows) {
    const by = number(row, change);
    if (by === 0) continue;
    steps.push({ name: String(row[name] ?? ""), from: now, to: now + by, change: by });
    now += by;
  }
  return [...steps, { name: "After", from: 0, to: sum(after), change: null }];
}
