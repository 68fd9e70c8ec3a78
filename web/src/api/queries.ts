// What the views ask for, by key. The latest answer wins; while a new one is on its way the last one stays.
import { keepPreviousData, QueryClient, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { createContext, useContext, useState } from "react";
import { useRoute, useScope } from "../address/useRoute";
import { ApiError, getJson, type Params } from "./client";
import type {
  AggregationsAnswer,
  FindingsAnswer,
  GpusAnswer,
  Info,
  IterationsAnswer,
  LayersAnswer,
  MemoryAnswer,
  Profile,
  Profiles,
  SummaryAnswer,
  Table,
} from "./types";

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // A profile does not change while it is looked at; only lists that the page itself changes are asked anew.
      staleTime: Infinity,
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: false,
      retry: (count, problem) => problem instanceof ApiError && problem.status >= 500 && count < 1,
    },
  },
});

type Answer<T> = UseQueryResult<T, ApiError>;

// `unfinished`: whether to ask again soon.
function useAnswer<T>(path: string, params: Params, enabled = true, unfinished?: (data: T) => boolean): Answer<T> {
  const answer = useQuery<T, ApiError>({
    queryKey: [path, params],
    queryFn: ({ signal }) => getJson<T>(path, params, signal),
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval: ({ state }) => (unfinished && state.data && unfinished(state.data) ? 1000 : false),
  });
  // When the server has gone, what it said last stays in sight.
  const [last, setLast] = useState<T | undefined>(undefined);
  if (answer.data !== undefined && answer.data !== last) setLast(answer.data);
  return answer.error?.lost && answer.data === undefined && last !== undefined ? ({ ...answer, data: last } as Answer<T>) : answer;
}

// An answer about the chosen profile, over the chosen range, of the chosen rank.
export function useRangeAnswer<T>(name: string, params: Params = {}, enabled = true): Answer<T> {
  const id = useProfileId();
  return useAnswer<T>(`/profiles/${id}/${name}`, { ...useScope(), ...params }, enabled && id !== "");
}

export function useProfileAnswer<T>(name: string, params: Params = {}, enabled = true): Answer<T> {
  const id = useProfileId();
  return useAnswer<T>(`/profiles/${id}/${name}`, params, enabled && id !== "");
}

export const useProfiles = () =>
  useAnswer<Profiles>("/profiles", {}, true, ({ profiles }) => profiles.some((profile) => profile.state === "reading"));
export const useInfo = () => useProfileAnswer<Info>("info");
export const useSummary = (enabled = true) => useRangeAnswer<SummaryAnswer>("summary", {}, enabled);
export const useIterations = () => useRangeAnswer<IterationsAnswer>("iterations");
export const useFindings = () => useRangeAnswer<FindingsAnswer>("findings");
export const useLayers = () => useRangeAnswer<LayersAnswer>("layers");
export const useGpus = () => useRangeAnswer<GpusAnswer>("gpus");
export const useMemory = () => useRangeAnswer<MemoryAnswer>("memory");
export const useAggregations = (enabled = true) => useProfileAnswer<AggregationsAnswer>("aggregations", {}, enabled);
export const useTable = (name: string, params: Params = {}, enabled = true) =>
  useRangeAnswer<Table>(`tables/${name}`, params, enabled);

const MOST_ROWS = 1000; // of an answer

// All rows of a table, for what is drawn from the whole of it.
export function useWholeTable(name: string, params: Params = {}): Answer<Table> {
  const path = `/profiles/${useProfileId()}/tables/${name}`;
  const range = { ...useScope(), ...params };
  return useQuery<Table, ApiError>({
    queryKey: [path, range, "whole"],
    queryFn: async ({ signal }) => {
      const ask = (page: number) => getJson<Table>(path, { ...range, page, page_size: MOST_ROWS }, signal);
      const first = await ask(0);
      const rows = [...first.rows];
      for (let page = 1; rows.length < first.rows_matching; page++) rows.push(...(await ask(page)).rows);
      return { ...first, rows };
    },
    placeholderData: keepPreviousData,
  });
}

// The profile of a name. Names say as much of the path as tells the files of one start apart, so a link may have more
// or less of it than the list: then the end of the name counts, where only one has it.
export function profileNamed(list: readonly Profile[], name: string | null): Profile | undefined {
  if (name === null) return list[0];
  const exact = list.find((profile) => profile.name === name);
  if (exact) return exact;
  const end = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  const alike = list.filter((profile) => end(profile.name) === end(name) && (!name.includes("/") || !profile.name.includes("/")));
  return alike.length === 1 ? alike[0] : undefined;
}

// The profile that the address names; null while the list is not here, undefined where there is none of this name.
export function useProfile(): Profile | null | undefined {
  const name = useRoute().params.get("profile");
  const list = useProfiles().data;
  return list ? profileNamed(list.profiles, name) : null;
}

// False within a view that is about no profile: what the chosen one is like says nothing there.
export const AboutProfile = createContext(true);

// Whether there is work of a device, kernels or not.
export function useDeviceWork(): boolean {
  const profile = useProfile();
  return useContext(AboutProfile) ? (profile?.device_work ?? false) : true;
}

// Its number at the server; "" where there is none.
export const useProfileId = (): string => useProfile()?.id ?? "";
