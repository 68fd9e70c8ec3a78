import type { Range } from "../api/types";

// "Iterations 1–5 of 6" in few words.
export function rangeWords(range: Range): string {
  if (range.total === 0) return "Whole profile";
  if (range.whole) return "Whole run";
  const which =
    range.start === range.stop ? `Iteration ${String(range.start)}` : `Iterations ${String(range.start)}–${String(range.stop)}`;
  return `${which} · ${String(range.selected)} of ${String(range.total)}`;
}
