// What a table shows, as it stands in the address. `prefix` parts two tables of one view.
import type { Patch } from "../app/route";
import type { Params } from "../api/client";

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

const DEFAULT_SIZE = 25;

export function readState(params: URLSearchParams, prefix: string, size = DEFAULT_SIZE): TableState {
  const get = (key: string) => params.get(prefix + key);
  const [, key, order] = /^(.+?)(?::(asc|desc))?$/.exec(get("sort") ?? "") ?? [];
  return {
    sort: key === undefined ? null : { key, falling: order !== "asc" },
    page: whole(get("page"), 0),
    size: Math.min(1000, whole(get("size"), size) || size),
    search: get("search") ?? "",
    filters: params.getAll(`${prefix}filter`).flatMap((text) => readFilter(text) ?? []),
    columns: get("cols")?.split(",").filter(Boolean) ?? null,
  };
}

// The filters of one column replaced by others.
export function withFilters(state: TableState, key: string, filters: readonly Filter[]): Filter[] {
  return [...state.filters.filter((filter) => filter.key !== key), ...filters];
}

const filterText = (filter: Filter) => `${filter.key}:${filter.op}:${filter.value}`;

// The change of the address that brings `change` about. What selects other rows starts again at their first page.
export function statePatch(change: Partial<TableState>, prefix: string, size = DEFAULT_SIZE): Patch {
  const patch: Record<string, string | number | string[] | null> = {};
  const set = (key: string, value: string | number | string[] | null) => {
    patch[prefix + key] = value;
  };
  if (change.sort !== undefined) set("sort", change.sort ? `${change.sort.key}:${change.sort.falling ? "desc" : "asc"}` : null);
  if (change.search !== undefined) set("search", change.search || null);
  if (change.filters !== undefined) set("filter", change.filters.map(filterText));
  if (change.size !== undefined) set("size", change.size === size ? null : change.size);
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
