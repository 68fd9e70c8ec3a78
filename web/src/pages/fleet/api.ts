// Questions to a store. What lies there may change at any time, so each is asked anew when its view is opened.
import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { getJson, type ApiError, type Params } from "../../api/client";
import { useProfiles } from "../../api/queries";
import type { Collection, ProfilesOfRuns, StoreAnswer } from "../../api/types";
import { useRoute } from "../../address/useRoute";

// Which runs the view is about: labels that all must hold, and runs by their ids.
export interface Choice {
  store: string;
  label: readonly string[];
  run: readonly string[];
}

export const useStoreAnswer = <T>({ store, ...params }: Choice, path: string, extra: Params = {}, enabled = true): UseQueryResult<T, ApiError> => useAsked<T>(store, path, { ...params, ...extra }, enabled);

// Two sides of a store, each given in words: labels as NAME=VALUE, and runs. None where one is not chosen.
export const useComparison = (store: string, base: readonly string[], next: readonly string[]): UseQueryResult<StoreAnswer, ApiError> => useAsked<StoreAnswer>(store, "compare", { base, new: next }, base.length > 0 && next.length > 0);

function useAsked<T>(store: string, path: string, asked: Params, enabled: boolean): UseQueryResult<T, ApiError> {
  return useQuery<T, ApiError>({
    queryKey: [`/stores/${store}/${path}`, asked],
    queryFn: ({ signal }) => getJson<T>(`/stores/${store}/${path}`, asked, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
    enabled,
  });
}

// The store that the address names, else the first.
export function useStore(): Collection | undefined {
  const stores = useProfiles().data?.stores ?? [];
  const name = useRoute().params.get("store");
  return stores.find((store) => store.name === name) ?? stores[0];
}

// The names of profiles by the runs that they are, where the viewer has them. Null until that is known: each is opened
// for it.
export function useProfilesOfRuns(choice: Choice): ReadonlyMap<string, string> | null {
  const any = (useProfiles().data?.profiles.length ?? 0) > 0;
  const answer = useStoreAnswer<ProfilesOfRuns>(choice, "profiles", {}, any);
  if (any && answer.data === undefined && !answer.error) return null;
  return new Map(answer.data?.runs.map(({ run, profile }) => [run, profile]));
}
