// What a table shows, as it stands in the address. `prefix` parts two tables of one view.
import type { Patch } from "../address/route";
import type { ApiError, Params } from "../api/client";
import type { Table } from "../api/types";
import type { Correction } from "../address/corrections";
import { sentence } from "../widgets/words";

export const PAGE_SIZES = [25, 50, 100, 250] as const;
export const OPERATORS = ["contains", "under", "eq", "ne", "lt", "le", "gt", "ge"] as const;
export type Operator = (typeof OPERATORS)[number];

export interface Filter {
  key: string;
  op: Operator;
  value: string;
}

export interface TableState {
  sort: { key: string; descending: boolean } | null;
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
const MOST_SIZE = 1000;

export function readState(params: URLSearchParams, prefix: string, size = DEFAULT_SIZE): TableState {
  const get = (key: string) => params.get(prefix + key);
  const [, key, order] = /^(.+?)(?::(asc|desc))?$/.exec(get("sort") ?? "") ?? [];
  return {
    sort: key === undefined ? null : { key, descending: order !== "asc" },
    page: whole(get("page"), 0),
    size: Math.min(MOST_SIZE, whole(get("size"), size) || size),
    search: get("search") ?? "",
    filters: params.getAll(`${prefix}filter`).flatMap((text) => readFilter(text) ?? []),
    columns: get("cols")?.split(",").filter(Boolean) ?? null,
  };
}

// What the address says of a table that cannot be, as far as the address alone tells.
export function wrongState(params: URLSearchParams, prefix: string, size = DEFAULT_SIZE): Correction[] {
  const wrong: Correction[] = [];
  const page = params.get(`${prefix}page`);
  if (page !== null && !/^\d{1,9}$/.test(page)) wrong.push({ key: `${prefix}page`, to: null, text: `“${page}” is not a page: the first is shown.` });
  const rows = params.get(`${prefix}size`);
  if (rows !== null && (!/^\d{1,9}$/.test(rows) || Number(rows) === 0 || Number(rows) > MOST_SIZE)) {
    const most = Number(rows) > MOST_SIZE;
    wrong.push({ key: `${prefix}size`, to: most ? String(MOST_SIZE) : null, text: `A page cannot have “${rows}” rows: it has ${String(most ? MOST_SIZE : size)}.` });
  }
  const filters = params.getAll(`${prefix}filter`);
  const bad = filters.filter((text) => !readFilter(text));
  if (bad.length > 0) {
    const good = filters.filter((text) => readFilter(text));
    wrong.push({ key: `${prefix}filter`, to: good, text: `“${bad.join("”, “")}” is not a filter: it was left out. A filter is COLUMN:OPERATOR:VALUE.` });
  }
  return wrong;
}

// The same, once the table is known.
export function wrongColumns(state: TableState, table: Table, prefix: string, checked: "all" | "shown"): Correction[] {
  const wrong: Correction[] = [];
  const has = (key: string) => table.columns.some((column) => column.key === key);
  const unknown = (state.columns ?? []).filter((key) => !has(key));
  if (unknown.length > 0) {
    const rest = (state.columns ?? []).filter(has).join(",");
    wrong.push({ key: `${prefix}cols`, to: rest || null, text: `There is no column “${unknown.join("”, “")}” in this table: it was left out.` });
  }
  if (checked === "all" && state.sort && !has(state.sort.key)) {
    wrong.push({ key: `${prefix}sort`, to: null, text: `There is no column “${state.sort.key}” to sort by: the table's own order is shown.` });
  }
  if (checked === "all" && state.filters.some((filter) => !has(filter.key))) {
    const rest = state.filters.filter((filter) => has(filter.key)).map(filterText);
    wrong.push({ key: `${prefix}filter`, to: rest, text: "A filter names a column that this table does not have: it was left out." });
  }
  const pages = Math.max(1, Math.ceil(table.rows_matching / state.size));
  if (state.page >= pages) {
    wrong.push({ key: `${prefix}page`, to: pages === 1 ? null : String(pages - 1), text: `There is no page ${String(state.page + 1)}: the last of ${String(pages)} is shown.` });
  }
  return wrong;
}

// What the server refuses of a table's order or filters: it knows all columns, the page only those of an answer.
export function refusedState(state: TableState, prefix: string, said: ApiError | null): Correction[] {
  if (said?.status !== 400) return [];
  const text = sentence(said.message);
  if (state.sort && said.code === "wrong_sort") return [{ key: `${prefix}sort`, to: null, text: `${text}: the table's own order is shown.` }];
  if (state.filters.length > 0 && said.code === "wrong_filter") {
    return [{ key: `${prefix}filter`, to: null, text: `${text}: all rows are shown.` }];
  }
  return [];
}

// Whether a table asked for one row does not have it; other refusals are of something else in the address.
export function notThere(answer: { error: ApiError | null; data?: Table | undefined; isPlaceholderData: boolean }): boolean {
  return answer.error?.code === "wrong_filter" || (!answer.isPlaceholderData && answer.data?.rows.length === 0);
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
  if (change.sort !== undefined) set("sort", change.sort ? `${change.sort.key}:${change.sort.descending ? "desc" : "asc"}` : null);
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
    sort: state.sort && `${state.sort.key}:${state.sort.descending ? "desc" : "asc"}`,
    page: state.page,
    page_size: state.size,
    search: state.search,
  };
}
