// What an address says that cannot be: it is put right, and the page says what was shown instead, until the reader
// goes on.
import { useEffect, useSyncExternalStore } from "react";
import type { ApiError } from "../api/client";
import { useProfile, useSummary } from "../api/queries";
import { pageOf } from "../pages/registry";
import { sentence } from "../widgets/words";
import { useKeptInWords } from "./keptRange";
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
  dashboard: ["rank", "hide"],
  timeline: ["begin", "end", "track", "span", "find", "at", "from", "to", "colour", "hide"],
  layers: ["measure"],
  model: ["colour", "open"],
  kernels: ["tab", "reveal"],
  recorded: ["tab"],
  roofline: ["tab", "reveal", "device", "hide"],
  ops: ["reveal"],
  ranges: ["merge"],
  "by-op": ["op", "each"],
  "by-iteration": ["each"],
  iterations: ["rank", "hide"],
  gpus: ["hide"],
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

// Numbers and switches of the range that are none, as far as the address alone tells.
export function wrongRange(params: URLSearchParams): Correction[] {
  const wrong: Correction[] = [];
  for (const key of ["iter_start", "iter_stop"]) {
    const text = params.get(key);
    if (text !== null && !/^\d{1,15}$/.test(text)) wrong.push({ key, to: null, text: `“${key}=${text}” is no number of an iteration: it was left out.` });
  }
  for (const key of ["all", "whole"]) {
    const text = params.get(key);
    if (text !== null && !["0", "1", "true", "false"].includes(text)) wrong.push({ key, to: null, text: `“${key}=${text}” is neither 1 nor 0: it was left out.` });
  }
  return wrong;
}

// A range that the profile does not have, by what the server says of it.
export function refusedRange(params: URLSearchParams, said: ApiError): Correction[] {
  if (said.status < 400 || said.status >= 500 || said.lost) return [];
  const text = `${sentence(said.message)}: the default range is shown.`;
  return RANGE_KEYS.filter((key) => params.get(key) !== null).map((key) => ({ key, to: null, text }));
}

export function useAddressCorrections(): void {
  const { view, params } = useRoute();
  const profile = useProfile();
  const wrong = pageOf(view) ? [...unknownParameters(view, params), ...wrongRange(params)] : [];
  useKeptInWords();
  const said = useSummary(profile?.state === "ok").error;
  useCorrections(wrong.length === 0 && said ? refusedRange(params, said) : wrong);
}
