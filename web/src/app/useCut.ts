import { useAggregations } from "../api/queries";
import { useRange } from "./useRoute";

// How iterations are cut now: by the address, or by the kept range that it names.
export function useCut(): Record<string, string> {
  const range = useRange();
  const kept = useAggregations().data?.aggregations.find((each) => each.id === range.aggregation)?.parameters;
  const cut: Record<string, string> = {};
  for (const key of ["key_op", "iteration_range"] as const) {
    const value = range[key] ?? kept?.[key];
    if (value !== undefined && value !== "") cut[key] = value;
  }
  return cut;
}
