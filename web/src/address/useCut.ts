import { useRange } from "./useRoute";

// How iterations are cut now, by the address.
export function useCut(): Record<string, string> {
  const range = useRange();
  const cut: Record<string, string> = {};
  for (const key of ["key_op", "iteration_range"] as const) {
    const value = range[key];
    if (value !== undefined && value !== "") cut[key] = value;
  }
  return cut;
}
