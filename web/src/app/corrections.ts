// What an address says that cannot be: it is put right, and the page says what was shown instead, until the reader
// goes on.
import { useEffect, useSyncExternalStore } from "react";
import { pageOf } from "../pages/registry";
import { RANGE_KEYS, type Patch } from "./route";
import { useRoute, useSetParams } from "./useRoute";

export interface Correction {
  key: string; // the parameter
  to: string | readonly string[] | null; // what it is now; null: nothing
  text: string;
}

let notices: readonly string[] = [];
const listeners = new Set<() => void>();

function put(next: readonly string[]): void {
  notices = next;
  for (const changed of listeners) changed();
}

export const clearNotices = (): void => {
  if (notices.length > 0) put([]);
};

export function useNotices(): readonly string[] {
  return useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => {
        listeners.delete(changed);
      };
    },
    () => notices,
  );
}

// A real step to another address, not one that the page made quietly.
window.addEventListener("hashchange", (event) => {
  if (event.isTrusted) clearNotices();
});

// Puts the address right, once for each thing that is wrong with it.
export function useCorrections(corrections: readonly Correction[]): void {
  const setParams = useSetParams();
  const text = JSON.stringify(corrections);
  useEffect(() => {
    const wrong = JSON.parse(text) as Correction[];
    if (wrong.length === 0) return;
    const patch: Record<string, Patch[string]> = {};
    for (const { key, to } of wrong) patch[key] = to;
    put([...new Set([...notices, ...wrong.map((each) => each.text)])]);
    setParams(patch, { replace: true });
  }, [text, setParams]);
}

const OF_TABLES = ["sort", "page", "size", "search", "filter", "cols"];
const OF_VIEWS: Readonly<Record<string, readonly string[]>> = {
  timeline: ["begin", "end", "track", "span", "find", "at", "from", "to"],
  layers: ["measure"],
  model: ["colour", "open"],
  kernels: ["tab", "reveal"],
  roofline: ["tab", "reveal", "device"],
  ops: ["reveal"],
  "by-op": ["op"],
  iterations: ["rank"],
  compare: ["with"],
};

const known = (view: string, key: string): boolean =>
  ["profile", "sel", ...RANGE_KEYS, ...(OF_VIEWS[view] ?? [])].includes(key) || OF_TABLES.includes(key.replace(/^[a-z]+\./, ""));

// Parameters that no view has: a misspelt one must not be passed over in silence.
export function unknownParameters(view: string, params: URLSearchParams): Correction[] {
  return [...new Set(params.keys())]
    .filter((key) => !known(view, key))
    .map((key) => ({ key, to: null, text: `The address has “${key}=${params.get(key) ?? ""}”, which means nothing here: it was left out.` }));
}

// One of several words.
export function wrongChoice(params: URLSearchParams, key: string, choices: readonly string[], what: string, shown: string): Correction[] {
  const given = params.get(key);
  if (given === null || choices.includes(given)) return [];
  return [{ key, to: null, text: `There is no ${what} “${given}”: ${shown} is shown.` }];
}

export function useUnknownParameters(): void {
  const { view, params } = useRoute();
  useCorrections(pageOf(view) ? unknownParameters(view, params) : []);
}
