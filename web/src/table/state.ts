// What a table shows, as it stands in the address. `prefix` parts two tables of one view.
import type { Patch } from "../app/route";
import type { Params } from "../api/client";
import type { Unit } from "../widgets/format";

export const PAGE_SIZES = [25, 50, 100, 250] as const;
export const OPERATORS = ["contains", "eq", "ne", "lt", "le", "gt", "ge"] as const;
export type Operator = (typeof OPERATORS)[number];

export interface Filter {
  key: string;
  op: Operator;
  value: string;
}

export interface TableState {
  sort: { key: string; falling: boolean } | null;
  page: number;
  size: number;
  search: string;
  filters: Filter[];
  columns: string[] | null; // null: the view's own choice
}

function whole(text: string | null, fallback: number): number {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : fallback;
}

function readFilter(text: string): Filter | null {
  const [, key, op, value] = /^([^:]+):([a-z]+):(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) return null;
  const known = OPERATORS.find((each) => each === op);
  return known ? { key, op: known, value } : null;
}

export function readState(params: URLSearchParams, prefix: string): TableState {
  const get = (key: string) => params.get(prefix + key);
  const [, key, order] = /^(.+?)(?::(asc|desc))?$/.exec(get("sort") ?? "") ?? [];
  return {
    sort: key === undefined ? null : { key, falling: order !== "asc" },
    page: whole(get("page"), 0),
    size: Math.min(1000, whole(get("size"), 25) || 25),
    search: get("search") ?? "",
    filters: params.getAll(`${prefix}filter`).flatMap((text) => readFilter(text) ?? []),
    columns: get("cols")?.split(",").filter(Boolean) ?? null,
  };
}

const filterText = (filter: Filter) => `${filter.key}:${filter.op}:${filter.value}`;

// The change of the address that brings `change` about. What selects other rows starts again at their first page.
export function statePatch(change: Partial<TableState>, prefix: string): Patch {
  const patch: Record<string, string | number | string[] | null> = {};
  const set = (key: string, value: string | number | string[] | null) => {
    patch[prefix + key] = value;
  };
  if (change.sort !== undefined) set("sort", change.sort ? `${change.sort.key}:${change.sort.falling ? "desc" : "asc"}` : null);
  if (change.search !== undefined) set("search", change.search || null);
  if (change.filters !== undefined) set("filter", change.filters.map(filterText));
  if (change.size !== undefined) set("size", change.size === 25 ? null : change.size);
  if (change.columns !== undefined) set("cols", change.columns?.join(",") ?? null);
  if (change.columns === undefined) set("page", change.page ? change.page : null);
  return patch;
}

export const filterTexts = (state: TableState): string[] => state.filters.map(filterText);

export function stateParams(state: TableState): Params {
  return {
    sort: state.sort && `${state.sort.key}:${state.sort.falling ? "desc" : "asc"}`,
    page: state.page,
    page_size: state.size,
    search: state.search,
  };
}

const SYMBOLS: readonly (readonly [string, Operator])[] = [
  [">=", "ge"],
  ["<=", "le"],
  ["!=", "ne"],
  [">", "gt"],
  ["<", "lt"],
  ["=", "eq"],
];

const FACTORS: Partial<Record<Unit, Record<string, number>>> = {
  ns: { ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9 },
  bytes: { b: 1, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30, tib: 2 ** 40, kb: 1e3, mb: 1e6, gb: 1e9 },
  percent: { "%": 1 },
};

// A number as people write it, "1.5 ms", in the unit of the column; null where it is none.
function parseNumber(text: string, unit: Unit): number | null {
  const [, digits, suffix] = /^(-?\d+(?:\.\d+)?)\s*([a-zµμ%]*)$/i.exec(text.trim()) ?? [];
  if (digits === undefined) return null;
  if (!suffix) return Number(digits);
  const factor = FACTORS[unit]?.[suffix.toLowerCase()];
  return factor === undefined ? null : Number((Number(digits) * factor).toPrecision(15));
}

export type Parsed = { filter: Filter | null } | { problem: string };

// What is typed under a column's head: "> 2 ms", "!= no", or part of a text.
export function parseFilter(key: string, typed: string, unit: Unit): Parsed {
  const text = typed.trim();
  if (!text) return { filter: null };
  const symbol = SYMBOLS.find(([sign]) => text.startsWith(sign));
  const rest = symbol ? text.slice(symbol[0].length).trim() : text;
  if (!rest) return { problem: "A value is missing" };
  if (unit === "none") return { filter: { key, op: symbol?.[1] ?? "contains", value: rest } };
  const number = parseNumber(rest, unit);
  if (number === null) return { problem: `Not a number: ${rest}` };
  return { filter: { key, op: symbol?.[1] ?? "eq", value: String(number) } };
}

// The way back: how a filter of the address reads under the column's head.
export function showFilter(filter: Filter): string {
  if (filter.op === "contains") return filter.value;
  const sign = SYMBOLS.find(([, op]) => op === filter.op)?.[0] ?? "=";
  return `${sign} ${filter.value}`;
}
