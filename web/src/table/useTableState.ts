import { useCallback, useMemo } from "react";
import { currentParams, useRoute, useSetParams, type SetOptions } from "../address/useRoute";
import { readState, statePatch, type TableState } from "./state";

// A change, or what makes it out of the state that the address has when it is made.
export type Change = (part: Partial<TableState> | ((now: TableState) => Partial<TableState>), options?: SetOptions) => void;

export function useTableState(prefix: string, size?: number): [TableState, Change] {
  const { params } = useRoute();
  const setParams = useSetParams();
  const state = useMemo(() => readState(params, prefix, size), [params, prefix, size]);
  const change = useCallback<Change>(
    (part, options) => {
      const made = typeof part === "function" ? part(readState(currentParams(), prefix, size)) : part;
      setParams(statePatch(made, prefix, size), options);
    },
    [setParams, prefix, size],
  );
  return [state, change];
}
