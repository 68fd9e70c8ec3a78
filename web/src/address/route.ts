// The address of everything that is shown: `#/VIEW?profile=0&iter_start=3&...`. What a link, a bookmark or the
// back button must bring back lies here and nowhere else.

export type Patch = Record<string, string | number | readonly string[] | null | undefined>;

export interface Route {
  view: string;
  params: URLSearchParams;
}

// These stay when another view is opened: which profile, which range of it, and which rank.
export const RANGE_KEYS = ["iter_start", "iter_stop", "all", "whole", "key_op", "iteration_range", "aggregation"] as const;
// All of them taken away: what another range begins with, for some of them exclude each other.
export const NO_RANGE = Object.fromEntries(RANGE_KEYS.map((key) => [key, null])) as Record<(typeof RANGE_KEYS)[number], null>;
// The one rank that everything is about; without it all of them. (`rank` is the rank that a picture of iterations is of.)
export const RANK_KEY = "only_rank";
const KEPT_KEYS = ["profile", RANK_KEY, ...RANGE_KEYS];

export function parseHash(hash: string): Route {
  const text = hash.replace(/^#\/?/, "");
  const cut = text.indexOf("?");
  const view = cut < 0 ? text : text.slice(0, cut);
  return { view: view || "dashboard", params: new URLSearchParams(cut < 0 ? "" : text.slice(cut + 1)) };
}

export function formatHash(view: string, params: URLSearchParams): string {
  const query = params.toString();
  return query ? `#/${view}?${query}` : `#/${view}`;
}

// null and undefined take a key away, a list repeats it.
export function patched(params: URLSearchParams, patch: Patch): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [key, value] of Object.entries(patch)) {
    next.delete(key);
    if (value === null || value === undefined || value === "") continue;
    if (Array.isArray(value)) for (const each of value as readonly string[]) next.append(key, each);
    else next.set(key, String(value));
  }
  return next;
}

// The address of another view of the same profile, rank and range.
export function linkTo(view: string, from: URLSearchParams, extra: Patch = {}): string {
  const kept = new URLSearchParams();
  for (const key of KEPT_KEYS) {
    const value = from.get(key);
    if (value !== null) kept.set(key, value);
  }
  return formatHash(view, patched(kept, extra));
}

// The range words of an address, for a request.
export function rangeOf(params: URLSearchParams): Record<string, string> {
  const range: Record<string, string> = {};
  for (const key of RANGE_KEYS) {
    const value = params.get(key);
    if (value !== null && value !== "") range[key] = value;
  }
  return range;
}

// The rank that was chosen; null: all.
export function rankOf(params: URLSearchParams): number | null {
  const text = params.get(RANK_KEY);
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

// What an answer is about, for a request: the range, and the rank.
export function scopeOf(params: URLSearchParams): Record<string, string> {
  const rank = rankOf(params);
  return rank === null ? rangeOf(params) : { ...rangeOf(params), rank: String(rank) };
}
