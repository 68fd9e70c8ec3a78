// Layers by parameter: what of a table is drawn, and how strong each cell is. Nothing is worked out here but shares of a
// column's greatest value, for colours and bars.
import type { Column, Table } from "../../api/types";
import { rowsOf, type Row } from "../../table/row";

export interface Parameter {
  column: Column;
  least: number; // of the rows drawn, and 0
  most: number;
}

export interface Grid {
  parameters: readonly Parameter[]; // those that any row has
  missing: readonly Column[]; // those that none has
  rows: readonly { name: string; row: Row }[];
}

export type Order = "time" | "name";

const natural = new Intl.Collator("en", { numeric: true });

export const isParameter = (column: Column): boolean => column.role === "number" || (column.unit !== "none" && column.role === undefined);

// `most`: rows, those that take most time (the table is in that order).
export function gridOf(table: Table, subject: string, order: Order, most: number): Grid {
  const rows = rowsOf(table)
    .slice(0, most)
    .map((row) => ({ name: row.text(subject) ?? "", row }));
  if (order === "name") rows.sort((a, b) => natural.compare(a.name, b.name));
  const parameters: Parameter[] = [];
  const missing: Column[] = [];
  for (const column of table.columns.filter(isParameter)) {
    const values = rows.map(({ row }) => row.number(column.key)).filter((value): value is number => value !== null);
    if (values.length === 0) missing.push(column);
    else parameters.push({ column, least: Math.min(0, ...values), most: Math.max(0, ...values) });
  }
  return { parameters, missing, rows };
}

// Where a value lies between 0 and the column's greatest; null: it is not known.
export function strength(parameter: Parameter, value: number | null): number | null {
  if (value === null) return null;
  return parameter.most > 0 ? Math.max(0, value) / parameter.most : 0;
}

// The text on a cell of that strength: dark on light colours.
export const inkOn = (part: number): string => (part > 0.55 ? "#101418" : "#f4f6f8");
