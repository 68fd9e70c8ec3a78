// What is wrong with the address of whichever view is shown: parameters that it does not have, and a range that the
// profile does not have.
import { useEffect } from "react";
import { useCorrections, type Correction } from "../address/corrections";
import { keptPatch } from "../address/keptRange";
import { RANGE_KEYS, RANK_KEY } from "../address/route";
import { useRoute, useSetParams } from "../address/useRoute";
import type { ApiError } from "../api/client";
import { useAggregations, useInfo, useProfile, useSummary } from "../api/queries";
import { usePageOf } from "../pages/page";
import { sentence } from "../widgets/words";
import { ranksToChoose } from "./ranksToChoose";

const OF_TABLES = ["sort", "page", "size", "search", "filter", "cols"];

const known = (own: readonly string[], key: string): boolean =>
  ["profile", "sel", RANK_KEY, ...RANGE_KEYS, ...own].includes(key) || OF_TABLES.includes(key.replace(/^[a-z]+\./, ""));

// Parameters that no view has: a misspelt one must not be passed over in silence. `own`: those of this view alone.
export function unknownParameters(own: readonly string[], params: URLSearchParams): Correction[] {
  return [...new Set(params.keys())]
    .filter((key) => !known(own, key))
    .map((key) => ({ key, to: null, text: `The address has “${key}=${params.get(key) ?? ""}”, which means nothing here: it was left out.` }));
}

// Bounds and switches of the range that cannot be read, as far as the address alone tells.
export function wrongRange(params: URLSearchParams): Correction[] {
  const wrong: Correction[] = [];
  for (const key of ["iter_start", "iter_stop"]) {
    const text = params.get(key);
    if (text !== null && !/^\d{1,15}$/.test(text)) wrong.push({ key, to: null, text: `“${key}=${text}” is not the number of an iteration: it was left out.` });
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

// A rank that the profile does not have. `ranks`: those to choose from.
export function wrongRank(params: URLSearchParams, ranks: readonly { rank: number }[]): Correction[] {
  const text = params.get(RANK_KEY);
  if (text === null || ranks.some((each) => String(each.rank) === text)) return [];
  const why = ranks.length === 0 ? `There are not several ranks to choose “${text}” from` : `There is no rank “${text}”`;
  return [{ key: RANK_KEY, to: null, text: `${why}: all that was recorded is shown.` }];
}

// An address by the number of a range, as pages before this one wrote it, becomes one that others can open.
function useKeptInWords(): void {
  const { params } = useRoute();
  const setParams = useSetParams();
  const id = params.get("aggregation");
  const kept = useAggregations(id !== null).data?.aggregations.find((each) => each.id === id);
  useEffect(() => {
    if (kept) setParams(keptPatch(kept), { replace: true });
  }, [kept, setParams]);
}

export function useAddressCorrections(): void {
  const { view, params } = useRoute();
  const profile = useProfile();
  const page = usePageOf(view);
  const wrong = page ? [...unknownParameters(page.parameters ?? [], params), ...wrongRange(params)] : [];
  const info = useInfo().data;
  if (info && page && page.of === undefined) wrong.push(...wrongRank(params, ranksToChoose(info)));
  useKeptInWords();
  const said = useSummary(profile?.state === "ok" && page?.of === undefined).error;
  // Of a rank that is not known yet it is not said what was refused.
  const known = info !== undefined || params.get(RANK_KEY) === null;
  useCorrections(wrong.length === 0 && known && said ? refusedRange(params, said) : wrong);
}
