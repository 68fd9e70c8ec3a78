// Tables whose rows the page has already: sorted, filtered, searched and cut here, as the server does with its own.
import type { Column, Table } from "../api/types";
import type { Cell } from "../widgets/format";
import { cellText } from "./cells";
import type { Filter, TableState } from "./state";

export interface Line {
  at: number; // index of the row
  depth: number;
  parent: boolean; // there are rows below it
  open: boolean;
  matches: boolean; // else it stands here because of what is below it
}

export interface Tree {
  parents: readonly number[]; // index of the row above; -1: a root. Parents stand before their children.
  isOpen: (row: number) => boolean;
}

// A table of objects that have their cells by key.
export function localTable(name: string, columns: Column[], objects: readonly Readonly<Record<string, Cell>>[], range: Table["range"]): Table {
  const rows = objects.map((object) => columns.map((column) => object[column.key] ?? null));
  return { name, title: name, columns, rows, rows_in_all: rows.length, rows_matching: rows.length, notes: [], range };
}

const plain = (cell: Cell): string => (cell === true ? "yes" : cell === false ? "no" : cell === null ? "" : String(cell));

export function passes({ op, value }: Filter, column: Column, cell: Cell): boolean {
  const text = plain(cell);
  if (op === "contains") return [text, cellText(column, cell)].some((each) => each.toLowerCase().includes(value.toLowerCase()));
  if (op === "under") return `${text}/`.startsWith(value.endsWith("/") ? value : `${value}/`);
  if (op === "eq") return typeof cell === "number" && value !== "" ? cell === Number(value) : text === value;
  if (op === "ne") return typeof cell === "number" && value !== "" ? cell !== Number(value) : text !== value;
  if (text === "") return false;
  const [left, right] = typeof cell === "number" ? [cell, Number(value)] : [text, value];
  if (op === "lt") return left < right;
  if (op === "le") return left <= right;
  return op === "gt" ? left > right : left >= right;
}

// The columns in which a text is found: as it is stored, or as cells show it.
export function foundIn(text: string, columns: readonly Column[], cells: readonly Cell[]): Column[] {
  const wanted = text.toLowerCase();
  return columns.filter((column, at) => {
    const cell = cells[at] ?? null;
    return typeof cell === "string" && (cell.toLowerCase().includes(wanted) || cellText(column, cell).toLowerCase().includes(wanted));
  });
}

function matching(table: Table, state: TableState): boolean[] {
  const at = new Map(table.columns.map((column, index) => [column.key, index]));
  return table.rows.map((cells) => {
    if (state.search && foundIn(state.search, table.columns, cells).length === 0) return false;
    return state.filters.every((filter) => {
      const index = at.get(filter.key);
      const column = index === undefined ? undefined : table.columns[index];
      return column === undefined || passes(filter, column, cells[index ?? 0] ?? null);
    });
  });
}

// Rows without a value come last, whichever the order.
function comparer(table: Table, sort: NonNullable<TableState["sort"]>): (a: number, b: number) => number {
  const index = table.columns.findIndex((column) => column.key === sort.key);
  const sign = sort.descending ? -1 : 1;
  return (a, b) => {
    const left = table.rows[a]?.[index] ?? null;
    const right = table.rows[b]?.[index] ?? null;
    if (left === null || right === null) return left === right ? a - b : left === null ? 1 : -1;
    if (typeof left === "number" && typeof right === "number") return sign * (left - right) || a - b;
    return sign * plain(left).localeCompare(plain(right)) || a - b;
  };
}

export interface Chosen {
  lines: Line[]; // in sight, before they are cut into pages
  matches: number[]; // all rows that match, whether in sight or not, in the same order
}

// What a table shows for a state. In a tree siblings are sorted among themselves, what matches keeps its ancestors,
// and while something is filtered all that leads to a match is open.
export function chooseRows(table: Table, state: TableState, sort: TableState["sort"], tree?: Tree): Chosen {
  const fits = matching(table, state);
  const narrowed = state.search !== "" || state.filters.length > 0;
  const children = new Map<number, number[]>();
  const leads = [...fits]; // it matches, or something below it does
  for (let row = table.rows.length - 1; row >= 0; row--) {
    const above = tree?.parents[row] ?? -1;
    if (leads[row] && above >= 0) leads[above] = true;
  }
  table.rows.forEach((_, row) => {
    const above = tree?.parents[row] ?? -1;
    children.set(above, [...(children.get(above) ?? []), row]);
  });
  const chosen: Chosen = { lines: [], matches: [] };
  const compare = sort && table.columns.some((column) => column.key === sort.key) ? comparer(table, sort) : null;
  const walk = (above: number, depth: number, inSight: boolean) => {
    const rows = (children.get(above) ?? []).filter((row) => leads[row]);
    if (compare) rows.sort(compare);
    for (const row of rows) {
      const below = (children.get(row) ?? []).filter((each) => leads[each]);
      const matches = fits[row] ?? false;
      const open = below.length > 0 && (tree?.isOpen(row) === true || (narrowed && below.some((each) => leads[each])));
      if (matches) chosen.matches.push(row);
      if (inSight) chosen.lines.push({ at: row, depth, parent: below.length > 0, open, matches });
      walk(row, depth + 1, inSight && open);
    }
  };
  walk(-1, 0, true);
  return chosen;
}

const quoted = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export function csvOf(table: Table, rows: readonly number[]): string {
  const lines = [table.columns.map((column) => column.header), ...rows.map((row) => (table.rows[row] ?? []).map((cell) => plain(cell)))];
  return lines.map((line) => `${line.map(quoted).join(",")}\n`).join("");
}

export function jsonOf(table: Table, rows: readonly number[]): string {
  const objects = rows.map((row) => Object.fromEntries(table.columns.map((column, at) => [column.key, table.rows[row]?.[at] ?? null])));
  return `${JSON.stringify(objects, null, 1)}\n`;
}
