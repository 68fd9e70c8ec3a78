// What part of the time is shown, and how wide. Pure: every change gives a new one.

export interface Bounds {
  begin: number;
  end: number;
}

export interface Viewport {
  begin: number; // ns at the left edge
  end: number;
  width: number; // pixels
}

export const LEAST_NS = 100; // the narrowest window

export const nsPerPixel = (view: Viewport): number => (view.end - view.begin) / view.width;
export const timeAt = (view: Viewport, x: number): number => view.begin + x * nsPerPixel(view);
export const xAt = (view: Viewport, time: number): number => ((time - view.begin) * view.width) / (view.end - view.begin);

// Within the profile's time and a little beyond, and no narrower than makes sense.
export function clamped(view: Viewport, bounds: Bounds): Viewport {
  const margin = (bounds.end - bounds.begin) * 0.02;
  const whole = Math.max(bounds.end - bounds.begin + 2 * margin, LEAST_NS);
  const length = Math.min(Math.max(view.end - view.begin, LEAST_NS), whole);
  const center = (view.begin + view.end) / 2;
  const from = bounds.begin - margin;
  const begin = Math.min(Math.max(center - length / 2, from), from + whole - length);
  return { begin, end: begin + length, width: view.width };
}

// `factor` below 1 shows less; the time under x stays where it is.
export function zoomed(view: Viewport, factor: number, x: number, bounds: Bounds): Viewport {
  const length = (view.end - view.begin) * factor;
  const kept = Math.max(length, LEAST_NS);
  const time = timeAt(view, x);
  const begin = time - (x / view.width) * kept;
  return clamped({ begin, end: begin + kept, width: view.width }, bounds);
}

export function panned(view: Viewport, pixels: number, bounds: Bounds): Viewport {
  const by = pixels * nsPerPixel(view);
  return clamped({ begin: view.begin + by, end: view.end + by, width: view.width }, bounds);
}

// A window with some room around an event.
export function around(view: Viewport, begin: number, dur: number, bounds: Bounds): Viewport {
  const length = Math.max(dur * 5, LEAST_NS * 20);
  const middle = begin + dur / 2;
  return clamped({ begin: middle - length / 2, end: middle + length / 2, width: view.width }, bounds);
}

const LEAST_PIXELS = 1; // of an event that can be seen
const SEEN_PIXELS = 12; // of one that was zoomed to so that it can

// The same scale, moved as little as brings an event into sight; zoomed only where it could not be seen, and no more
// than that takes.
export function revealing(view: Viewport, begin: number, dur: number, bounds: Bounds): Viewport {
  if (dur / nsPerPixel(view) < LEAST_PIXELS) {
    const half = Math.max((dur * view.width) / SEEN_PIXELS, LEAST_NS) / 2;
    const middle = begin + dur / 2;
    return clamped({ begin: middle - half, end: middle + half, width: view.width }, bounds);
  }
  const visible = view.end - view.begin;
  const from = view.begin + visible * 0.05;
  const to = view.end - visible * 0.05;
  if (begin < to && begin + dur > from) return view;
  const middle = begin + Math.min(dur, visible) / 2;
  return clamped({ begin: middle - visible / 2, end: middle + visible / 2, width: view.width }, bounds);
}

// From one window to another: the step `part` (0 to 1) of a smooth way. Zooming is even in the logarithm.
export function between(from: Viewport, to: Viewport, part: number): Viewport {
  const eased = 1 - (1 - part) ** 3;
  const length = Math.exp(Math.log(from.end - from.begin) * (1 - eased) + Math.log(to.end - to.begin) * eased);
  const ratio = from.end - from.begin - (to.end - to.begin);
  // The point that both windows show at the same place stays there.
  const share = Math.abs(ratio) < 1 ? eased : (from.end - from.begin - length) / ratio;
  const begin = from.begin + (to.begin - from.begin) * share;
  return { begin, end: begin + length, width: to.width };
}
