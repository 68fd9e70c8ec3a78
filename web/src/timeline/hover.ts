// What is under the pointer: an entry of a tile, as the page tells of it.
import type { Tile } from "../engine/tiles";
import type { Place } from "./api";

export interface Hover extends Place {
  count: number;
  busy_ns: number;
  x: number;
  y: number;
}

// Entry `i`, shown at (x, y) of the picture; `kinds` are the names of its kinds.
export function hoverOf(tile: Tile, i: number, kinds: readonly string[], x: number, y: number): Hover {
  const { entries } = tile;
  return {
    track: tile.track,
    span: entries.span[i] ?? 0,
    name: tile.names[entries.name[i] ?? 0] ?? "",
    kind: kinds[entries.kind[i] ?? 0] ?? "",
    begin_ns: tile.begin + (entries.begin[i] ?? 0),
    dur_ns: entries.dur[i] ?? 0,
    depth: entries.depth[i] ?? 0,
    count: entries.count[i] ?? 1,
    busy_ns: entries.busy[i] ?? 0,
    x,
    y,
  };
}
