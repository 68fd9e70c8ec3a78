// Parts of pictures that the reader has hidden by their legends: `hide=cpu,other` of the address.
import { useMemo } from "react";
import { currentParams, useRoute, useSetParams } from "./useRoute";

const hiddenIn = (params: URLSearchParams): string[] => params.get("hide")?.split(",").filter(Boolean) ?? [];

export function useHidden(): [ReadonlySet<string>, (key: string) => void] {
  const { params } = useRoute();
  const text = params.get("hide");
  const setParams = useSetParams();
  return [
    useMemo(() => new Set(hiddenIn(new URLSearchParams(text === null ? "" : { hide: text }))), [text]),
    (key) => {
      const now = hiddenIn(currentParams());
      setParams({ hide: (now.includes(key) ? now.filter((each) => each !== key) : [...now, key]).join(",") }, { replace: true });
    },
  ];
}
