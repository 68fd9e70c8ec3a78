// Steps from one event to another with the arrow keys, exact at any zoom: asks for the windows beside an event
// until one shows a single span at its depth.
import type { Bounds, Viewport } from "../engine/viewport";
import type { Entries, TimelineWindow } from "../engine/window";
import type { Place, TimelineApi, Tracks } from "./api";

export type Direction = "next" | "previous" | "parent" | "child";

const PIXELS = 2048;
const MOST_TRIES = 40;

// Of one event, whether or not its details have come since.
export const isSame = (a: Place | null, b: Place | null): boolean => a === b || (a?.track === b?.track && a?.span === b?.span);

// Entry `i` of a window or tile; `kinds` are the names of its kinds.
export function placeOf(window: Pick<TimelineWindow, "names" | "begin">, entries: Entries, i: number, track: number, kinds: readonly string[]): Place {
  return {
    track,
    span: entries.span[i] ?? 0,
    name: window.names[entries.name[i] ?? 0] ?? "",
    kind: kinds[entries.kind[i] ?? 0] ?? "",
    begin_ns: window.begin + (entries.begin[i] ?? 0),
    dur_ns: entries.dur[i] ?? 0,
    depth: entries.depth[i] ?? 0,
  };
}

// First or last entry of a depth that begins within [from, to); -1: none.
function edge(entries: Entries, depth: number, from: number, to: number, last: boolean): number {
  let found = -1;
  for (let i = entries.rows[depth] ?? 0; i < (entries.rows[depth + 1] ?? 0); i += 1) {
    const begin = entries.begin[i] ?? 0;
    if (begin < from || begin >= to) continue;
    found = i;
    if (!last) break;
  }
  return found;
}

async function beside(api: TimelineApi, info: Tracks, from: Place, track: number, back: boolean, view: Viewport, bounds: Bounds): Promise<Place | null> {
  const start = back ? from.begin_ns : from.begin_ns + Math.max(from.dur_ns, 1);
  let length = Math.max((view.end - view.begin) / 8, from.dur_ns, 1000);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const begin = back ? start - length : start;
    const end = back ? start : start + length;
    const window = await api.window([track], begin, end, PIXELS);
    const entries = window.tracks.get(track);
    // What began before the window is not beside the event, unless the window is that event's.
    const found = entries ? edge(entries, from.depth, 0, window.end - window.begin, back) : -1;
    if (entries && found >= 0) {
      if ((entries.count[found] ?? 1) === 1) return placeOf(window, entries, found, track, info.kinds);
      if (length <= PIXELS) return placeOf(window, entries, found, track, info.kinds);
      const first = entries.begin[found] ?? 0;
      const reach = back ? window.end - window.begin - first : first + (entries.dur[found] ?? 0);
      length = Math.max(Math.min(length / 16, reach), PIXELS);
      continue;
    }
    if (back ? begin <= bounds.begin : end >= bounds.end) return null;
    length *= 8;
  }
  return null;
}

export async function neighbor(api: TimelineApi, info: Tracks, from: Place, direction: Direction, view: Viewport, bounds: Bounds): Promise<Place | null> {
  const { track } = from;
  if (track === null) return null;
  if (direction === "next" || direction === "previous") return beside(api, info, from, track, direction === "previous", view, bounds);
  const depth = from.depth + (direction === "child" ? 1 : -1);
  if (depth < 0) return null;
  let end = from.begin_ns + Math.max(from.dur_ns, 1);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const window = await api.window([track], from.begin_ns, end, PIXELS);
    const entries = window.tracks.get(track);
    if (!entries || depth + 1 >= entries.rows.length) return null;
    const found = edge(entries, depth, direction === "child" ? 0 : -Infinity, window.end - window.begin, false);
    if (found < 0) return null;
    if ((entries.count[found] ?? 1) === 1 || end - from.begin_ns <= PIXELS) return placeOf(window, entries, found, track, info.kinds);
    end = from.begin_ns + Math.max((end - from.begin_ns) / 16, PIXELS);
  }
  return null;
}
