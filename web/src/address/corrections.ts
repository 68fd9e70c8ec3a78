// What an address says that cannot be: it is put right, and the page says what was shown instead, until the reader
// goes on.
import { useEffect, useSyncExternalStore } from "react";
import type { Patch } from "./route";
import { useSetParams } from "./useRoute";

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

// One of several words.
export function wrongChoice(params: URLSearchParams, key: string, choices: readonly string[], what: string, shown: string): Correction[] {
  const given = params.get(key);
  if (given === null || choices.includes(given)) return [];
  return [{ key, to: null, text: `There is no ${what} “${given}”: ${shown} is shown.` }];
}
