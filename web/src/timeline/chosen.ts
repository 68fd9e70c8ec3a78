// The iterations that all numbers are about, behind the tracks: every other one shaded, and what lies outside of the
// range dimmed.
import type { IterationsAnswer } from "../api/types";
import { hashOf } from "../engine/colors";
import { TILE_PIXELS, tileNs, type TileStore } from "../engine/tiles";
import type { Viewport } from "../engine/viewport";
import { stretchesOf, type Stretch } from "../widgets/stretches";
import type { Band } from "./paint";

export interface Chosen {
  iterations: readonly Band[]; // of the first rank, by begin; as they are cut now
  stretches: readonly Stretch[]; // in the range, by begin, of all ranks; none: the whole profile
}

export function chosenOf(answer: IterationsAnswer): Chosen {
  const rank = answer.iterations[0]?.rank;
  const iterations = answer.iterations
    .filter((each) => each.rank === rank)
    .map((each) => ({ begin: each.begin_ns, end: each.begin_ns + each.dur_ns, number: each.iteration }))
    .sort((a, b) => a.begin - b.begin);
  return { iterations, stretches: stretchesOf(answer.wall) };
}

interface Source {
  chosen: Chosen | null; // else the events of a track of iterations
  bandTrack: number | null;
  view: Viewport;
  level: number;
  tiles: TileStore;
  overviewLevel: number;
  overview: TileStore;
}

// Iterations in sight, as far as they are wide enough to be told apart.
export function bandsOf(from: Source): Band[] {
  const { bandTrack, view, chosen } = from;
  if (chosen) {
    const shown = chosen.iterations.filter((each) => each.end > view.begin && each.begin < view.end);
    return shown.length > view.width / 3 ? [] : shown;
  }
  if (bandTrack === null) return [];
  const own = from.tiles.get(bandTrack, from.level, Math.floor(view.begin / tileNs(from.level)));
  const [store, level] = own ? [from.tiles, from.level] : [from.overview, from.overviewLevel];
  const out: Band[] = [];
  for (const piece of store.pieces(bandTrack, level, view.begin, view.end)) {
    const { entries, begin: origin, names } = piece.tile;
    if (entries.begin.length > TILE_PIXELS / 3) continue;
    for (let i = 0; i < (entries.rows[1] ?? 0); i += 1) {
      if (entries.count[i] !== 1) continue;
      const begin = origin + (entries.begin[i] ?? 0);
      const number = parseInt((names[entries.name[i] ?? 0] ?? "").replace(/\D+/, ""), 10);
      out.push({ begin, end: begin + (entries.dur[i] ?? 0), number: Number.isNaN(number) ? hashOf(String(begin)) : number });
    }
  }
  return out;
}
