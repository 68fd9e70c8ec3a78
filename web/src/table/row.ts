import type { Column, Table } from "../api/types";
import type { Cell } from "../widgets/format";
import { wordOf } from "./choices";

// A row of an answer, asked by the key of a column.
export class Row {
  constructor(
    private readonly table: Table,
    readonly cells: readonly Cell[],
  ) {}

  get(key: string): Cell {
    const at = this.table.columns.findIndex((column) => column.key === key);
    return this.cells[at] ?? null;
  }

  // The value of a column of few words as its cells show it.
  word(key: string): string | null {
    const column = this.column(key);
    const text = this.text(key);
    return column && text !== null ? wordOf(column, text) : text;
  }

  column(key: string): Column | undefined {
    return this.table.columns.find((column) => column.key === key);
  }

  text(key: string): string | null {
    const cell = this.get(key);
    return cell === null ? null : String(cell);
  }

  number(key: string): number | null {
    const cell = this.get(key);
    return typeof cell === "number" ? cell : null;
  }
}

export const rowsOf = (table: Table): Row[] => table.rows.map((cells) => new Row(table, cells));

// Rows are told apart by some of their columns; the address names one by the values of these.
const PART = "~";

// Where no columns of its own tell a row apart.
export const wholeRow = (row: Row): string => row.cells.join(PART);

export const identify = (row: Row, keys: readonly string[]): string => keys.map((key) => row.text(key) ?? "").join(PART);

export function filtersOf(keys: readonly string[], selected: string): string[] {
  const values = selected.split(PART);
  return keys.flatMap((key, at) => (values[at] ? [`${key}:eq:${values[at]}`] : []));
}

// Columns of a start and a duration: a row that has both is one event.
const SPANS = [
  ["gpu_start_ns", "gpu_duration_ns"],
  ["begin_ns", "duration_ns"],
  ["begin_ns", "dur_ns"],
  ["api_start_ns", "api_duration_ns"],
] as const;

export interface EventPlace {
  begin: number;
  end: number;
  track: string | null;
  span: string | null;
}

// Where the event of a row lies in the timeline; null where the row is about more than one.
export function placeOf(row: Row): EventPlace | null {
  for (const [beginKey, durationKey] of SPANS) {
    const begin = row.number(beginKey);
    const duration = row.number(durationKey);
    if (begin !== null && duration !== null) {
      return { begin, end: begin + duration, track: row.text("track"), span: row.text("span") };
    }
  }
  return null;
}

// What the timeline shows of an event: itself and some of what is around it.
export function windowAround(place: EventPlace): { begin: number; end: number } {
  const margin = Math.max(2000, Math.round((place.end - place.begin) * 2));
  return { begin: Math.max(0, place.begin - margin), end: place.end + margin };
}
