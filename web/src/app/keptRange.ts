// A kept range in an address: what it means and not its number, which only the viewer that keeps it knows.
import { useEffect } from "react";
import { useAggregations } from "../api/queries";
import type { Aggregation } from "../api/types";
import { NO_RANGE, rangeOf, type Patch } from "./route";
import { useRoute, useSetParams } from "./useRoute";

type Kept = Pick<Aggregation, "parameters">;

function wordsOf({ parameters }: Kept): Record<string, string> {
  const given = Object.entries(parameters).filter(([, value]) => value !== false && value !== "");
  return Object.fromEntries(given.map(([key, value]) => [key, value === true ? "1" : String(value)]));
}

export const keptPatch = (kept: Kept): Patch => ({ ...NO_RANGE, ...wordsOf(kept) });

// Whether an address is about this range.
export function isChosen(kept: Kept, params: URLSearchParams): boolean {
  const sorted = (words: Record<string, string>) => JSON.stringify(Object.entries(words).sort());
  return sorted(wordsOf(kept)) === sorted(rangeOf(params));
}

// An address by the number of a range, as pages before this one wrote it, becomes one that others can open.
export function useKeptInWords(): void {
  const { params } = useRoute();
  const setParams = useSetParams();
  const id = params.get("aggregation");
  const kept = useAggregations(id !== null).data?.aggregations.find((each) => each.id === id);
  useEffect(() => {
    if (kept) setParams(keptPatch(kept), { replace: true });
  }, [kept, setParams]);
}
