// The whole run in one strip: how busy its streams (else its threads) are, its iterations, and what is shown.
import { firstShown } from "../engine/raster";
import type { TileStore } from "../engine/tiles";
import { xAt, type Viewport } from "../engine/viewport";
import { cssColor } from "../engine/colors";
import type { Theme } from "./palette";

export const MINIMAP_HEIGHT = 44;

// Busy share of the first depth of some tracks in each pixel of the whole: the greatest of the tracks.
export function busyShares(tiles: TileStore, tracks: readonly number[], level: number, whole: Viewport): Float32Array {
  const out = new Float32Array(Math.max(Math.ceil(whole.width), 1));
  const pixel = (whole.end - whole.begin) / whole.width;
  for (const track of tracks) {
    const shares = new Float32Array(out.length);
    for (const piece of tiles.pieces(track, level, whole.begin, whole.end)) {
      const { entries, begin: origin } = piece.tile;
      if (entries.rows.length < 2) continue;
      for (let i = firstShown(entries, 0, piece.from - origin); i < (entries.rows[1] ?? 0); i += 1) {
        const begin = Math.max(origin + (entries.begin[i] ?? 0), piece.from);
        const end = Math.min(origin + (entries.begin[i] ?? 0) + (entries.dur[i] ?? 0), piece.to);
        if (begin >= piece.to) break;
        spread(shares, (begin - whole.begin) / pixel, (end - whole.begin) / pixel, (entries.busy[i] ?? 0) / Math.max(entries.dur[i] ?? 1, 1));
      }
    }
    for (let x = 0; x < out.length; x += 1) out[x] = Math.max(out[x] ?? 0, Math.min(shares[x] ?? 0, 1));
  }
  return out;
}

// Adds `share` of the stretch [from, to) of pixels to the pixels that it covers.
function spread(shares: Float32Array, from: number, to: number, share: number): void {
  const first = Math.max(Math.floor(from), 0);
  const last = Math.min(Math.floor(to), shares.length - 1);
  for (let x = first; x <= last; x += 1) {
    const covered = Math.min(to, x + 1) - Math.max(from, x);
    if (covered > 0) shares[x] = (shares[x] ?? 0) + covered * share;
  }
}

export function paintMinimap(
  context: CanvasRenderingContext2D,
  theme: Theme,
  shares: Float32Array,
  marks: readonly number[],
  whole: Viewport,
  view: Viewport,
): void {
  context.clearRect(0, 0, whole.width, MINIMAP_HEIGHT);
  const bottom = MINIMAP_HEIGHT - 5;
  const room = MINIMAP_HEIGHT - 14;
  context.fillStyle = cssColor(theme.palette.noTensorCore);
  context.globalAlpha = 0.75;
  context.beginPath();
  context.moveTo(0, bottom);
  shares.forEach((share, x) => {
    context.lineTo(x, bottom - share * room);
    context.lineTo(x + 1, bottom - share * room);
  });
  context.lineTo(whole.width, bottom);
  context.fill();
  context.globalAlpha = 1;
  context.fillStyle = theme.strong;
  const apart = marks.length > 1 ? whole.width / marks.length : whole.width;
  if (apart >= 4) for (const mark of marks) context.fillRect(Math.round(xAt(whole, mark)), 3, 1, 5);
  context.fillRect(0, bottom, whole.width, 1);
  const x0 = Math.max(xAt(whole, view.begin), 0);
  const x1 = Math.max(Math.min(xAt(whole, view.end), whole.width), x0 + 3);
  context.fillStyle = theme.surface;
  context.globalAlpha = 0.66;
  context.fillRect(0, 0, x0, MINIMAP_HEIGHT);
  context.fillRect(x1, 0, whole.width - x1, MINIMAP_HEIGHT);
  context.globalAlpha = 1;
  context.strokeStyle = theme.accent;
  context.lineWidth = 1.5;
  context.strokeRect(x0 + 0.75, 1.5, Math.max(x1 - x0 - 1.5, 1.5), MINIMAP_HEIGHT - 3.5);
}
