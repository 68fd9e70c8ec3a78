import { useCallback, useMemo, useSyncExternalStore } from "react";
import { formatHash, parseHash, patched, rangeOf, rankOf, scopeOf, type Patch, type Route } from "./route";

function subscribe(changed: () => void): () => void {
  window.addEventListener("hashchange", changed);
  return () => {
    window.removeEventListener("hashchange", changed);
  };
}

const currentHash = () => window.location.hash;

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, currentHash);
  return useMemo(() => parseHash(hash), [hash]);
}

// Tells all who show the address that it has changed.
export function announceAddress(): void {
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

export const currentParams = (): URLSearchParams => parseHash(window.location.hash).params;

// Replaces the address without a new step of the history; listeners hear of it as of any other change.
export function replaceHash(hash: string): void {
  if (hash === window.location.hash) return;
  window.history.replaceState(null, "", hash);
  announceAddress();
}

export interface SetOptions {
  replace?: boolean; // not a step that "back" should undo
  quiet?: boolean; // the same, and the page follows at announceAddress(): for what is still being typed
}

// Changes parameters of the view that is shown.
export function useSetParams(): (patch: Patch, options?: SetOptions) => void {
  return useCallback((patch, options) => {
    const { view, params } = parseHash(window.location.hash);
    const hash = formatHash(view, patched(params, patch));
    if (options?.quiet) window.history.replaceState(null, "", hash);
    else if (options?.replace) replaceHash(hash);
    else if (hash !== window.location.hash) window.location.hash = hash;
    else announceAddress();
  }, []);
}

// The same object while it says the same.
function useWords(of: (params: URLSearchParams) => Record<string, string>): Record<string, string> {
  const { params } = useRoute();
  const text = JSON.stringify(of(params));
  return useMemo(() => JSON.parse(text) as Record<string, string>, [text]);
}

// The chosen range, by its words.
export const useRange = (): Record<string, string> => useWords(rangeOf);

// The chosen range and rank, as request parameters.
export const useScope = (): Record<string, string> => useWords(scopeOf);

// The chosen rank; null: all.
export const useRank = (): number | null => rankOf(useRoute().params);
