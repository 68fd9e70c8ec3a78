import { useCallback, useMemo } from "react";
import { useRoute, useSetParams } from "../app/useRoute";
import { readState, statePatch, type TableState } from "./state";

export function useTableState(prefix: string): [TableState, (change: Partial<TableState>, options?: { replace?: boolean }) => void] {
  const { params } = useRoute();
  const setParams = useSetParams();
  const state = useMemo(() => readState(params, prefix), [params, prefix]);
  const change = useCallback(
    (part: Partial<TableState>, options?: { replace?: boolean }) => {
      setParams(statePatch(part, prefix), options);
    },
    [setParams, prefix],
  );
  return [state, change];
}
