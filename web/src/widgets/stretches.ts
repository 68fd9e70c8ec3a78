// Stretches of time that numbers are about, and what lies outside of them.
import type { components } from "../api/schema";

export interface Stretch {
  begin: number;
  end: number;
}

// Those of an answer, by begin, where they touch as one.
export function stretchesOf(wall: readonly components["schemas"]["Stretch"][]): Stretch[] {
  const out: Stretch[] = [];
  for (const { begin_ns: begin, end_ns: end } of [...wall].sort((a, b) => a.begin_ns - b.begin_ns)) {
    const last = out[out.length - 1];
    if (last && begin <= last.end) last.end = Math.max(last.end, end);
    else out.push({ begin, end });
  }
  return out;
}

// What of a window lies outside of all stretches; nothing where there are none, for then all of it counts.
export function outsideOf(stretches: readonly Stretch[], view: Stretch): Stretch[] {
  if (stretches.length === 0) return [];
  const out: Stretch[] = [];
  let at = view.begin;
  for (const { begin, end } of stretches) {
    if (begin > at) out.push({ begin: at, end: Math.min(begin, view.end) });
    at = Math.max(at, end);
    if (at >= view.end) return out;
  }
  out.push({ begin: at, end: view.end });
  return out;
}
