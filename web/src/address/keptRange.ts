// A kept range in an address: what it means and not its number, which only the viewer that keeps it knows.
import { NO_RANGE, rangeOf, type Patch } from "./route";

interface Kept {
  parameters: Readonly<Record<string, string | number | boolean>>;
}

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
