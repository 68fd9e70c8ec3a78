// What is under the pointer: an entry of a tile, as the page tells of it.
import type { Tile } from "../engine/tiles";
import type { Place } from "./api";
import { placeOf } from "./neighbors";

export interface Hover extends Place {
  count: number;
  busy_ns: number;
  x: number;
  y: number;
}

// Entry `i`, shown at (x, y) of the picture; `kinds` are the names of its kinds.
export const hoverOf = (tile: Tile, i: number, kinds: readonly string[], x: number, y: number): Hover => ({
  ...placeOf(tile, tile.entries, i, tile.track, kinds),
  count: tile.entries.count[i] ?? 1,
  busy_ns: tile.entries.busy[i] ?? 0,
  x,
  y,
});
