import type { Table } from "../api/types";

// Cells that are sentences of ours.
const SENTENCES: Readonly<Record<string, string>> = { diagnostics: "help" };

// In the words of the devices that worked; names in cells stay.
export function saidTable(name: string, table: Table, say: (text: string) => string): Table {
  const ours = table.columns.findIndex((column) => column.key === SENTENCES[name]);
  return {
    ...table,
    ...(ours >= 0 && { rows: table.rows.map((row) => row.map((cell, at) => (at === ours && typeof cell === "string" ? say(cell) : cell))) }),
    columns: table.columns.map((column) => ({ ...column, header: say(column.header), ...(column.description && { description: say(column.description) }) })),
    notes: table.notes?.map(say),
  };
}
