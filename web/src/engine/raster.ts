// Draws entries into the pixels of a canvas. Each depth is drawn as one line of pixels, which is then copied to
// its height: the cost is a write for each entry and a copy for each line, however many entries there are.
import type { Entries } from "./window";

export interface Surface {
  pixels: Uint32Array;
  width: number;
  height: number;
}

// Time to pixels of a surface.
export interface Scale {
  begin: number;
  perNs: number;
}

// Fills all lines with one line of background.
export function clear(surface: Surface, line: Uint32Array): void {
  const { pixels, width, height } = surface;
  pixels.set(line.subarray(0, width), 0);
  let filled = width;
  const total = width * height;
  while (filled < total) {
    const count = Math.min(filled, total - filled);
    pixels.copyWithin(filled, 0, count);
    filled += count;
  }
}

// Draws entries [first, last) of one depth into line y, cut to [from, to) pixels. `origin` is the time that
// begins count from.
export function paintLine(
  surface: Surface,
  y: number,
  entries: Entries,
  colors: Uint32Array,
  depth: number,
  origin: number,
  scale: Scale,
  from: number,
  to: number,
): void {
  if (depth + 1 >= entries.rows.length) return;
  const { pixels, width } = surface;
  const { begin, dur, count } = entries;
  const last = entries.rows[depth + 1] ?? 0;
  const shift = (origin - scale.begin) * scale.perNs;
  const base = y * width;
  for (let i = firstShown(entries, depth, (from - shift) / scale.perNs); i < last; i += 1) {
    const start = shift + (begin[i] ?? 0) * scale.perNs;
    if (start >= to) break;
    const x0 = Math.max(Math.floor(start), from);
    const stop = start + (dur[i] ?? 0) * scale.perNs;
    const several = (count[i] ?? 1) > 1;
    let x1 = Math.min(several ? Math.ceil(stop) : Math.floor(stop), to);
    if (!several && x1 - x0 > 3 && x1 < to) x1 -= 1; // a gap, so that neighbours of one colour are told apart
    const color = colors[i] ?? 0;
    if (x1 <= x0 + 1) {
      if (x0 < to) pixels[base + x0] = color;
    } else pixels.fill(color, base + x0, base + x1);
  }
}

// First entry of a depth that ends after a time, counted from the window's begin.
export function firstShown(entries: Entries, depth: number, time: number): number {
  const { begin, dur } = entries;
  const first = entries.rows[depth] ?? 0;
  let low = first;
  let high = entries.rows[depth + 1] ?? 0;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((begin[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low > first && (begin[low - 1] ?? 0) + (dur[low - 1] ?? 0) > time ? low - 1 : low;
}

// Copies part of line y to the lines below it, `lines` in all.
export function thicken(surface: Surface, y: number, lines: number, from: number, to: number): void {
  const { pixels, width, height } = surface;
  const begin = y * width + from;
  const end = y * width + to;
  for (let i = 1; i < lines && y + i < height; i += 1) pixels.copyWithin(begin + i * width, begin, end);
}

export function fillRect(surface: Surface, x: number, y: number, width: number, height: number, color: number): void {
  const x0 = Math.max(x, 0);
  const x1 = Math.min(x + width, surface.width);
  for (let line = Math.max(y, 0); line < Math.min(y + height, surface.height); line += 1) {
    surface.pixels.fill(color, line * surface.width + x0, line * surface.width + x1);
  }
}
