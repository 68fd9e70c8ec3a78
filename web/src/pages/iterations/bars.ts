// Where the stacked bars of iterations stand, in pixels.
import { SHARES, type IterationShares, type Share } from "../../api/types";

export interface View {
  first: number; // index of the first bar in sight; may be fractional while zooming
  last: number; // one past the last
}

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export const SHARE_NAMES: Record<Share, string> = {
  tensor_core: "Tensor Core kernels",
  unknown_kernel: "Kernels of unknown Tensor Core use",
  other_kernel: "Kernels without Tensor Cores",
  communication: "Communication",
  memory: "Copies and sets",
  dataloader: "Data loading",
  io: "File I/O",
  cpu: "CPU alone",
  host: "Python and other host time",
  idle: "Idle or not recorded",
};

export const barWidth = (view: View, box: Box): number => box.width / Math.max(1e-6, view.last - view.first);

export const xOf = (index: number, view: View, box: Box): number => box.left + (index - view.first) * barWidth(view, box);

export const indexAt = (x: number, view: View, box: Box): number => view.first + (x - box.left) / barWidth(view, box);

export function inSight(view: View, count: number): [number, number] {
  return [Math.max(0, Math.floor(view.first)), Math.min(count, Math.ceil(view.last))];
}

export function mostIn(list: readonly IterationShares[], view: View): number {
  const [first, last] = inSight(view, list.length);
  let most = 0;
  for (let at = first; at < last; at++) most = Math.max(most, list[at]?.dur_ns ?? 0);
  return most;
}

// The bars without the shares that are hidden: as high as what is left.
export function without(list: readonly IterationShares[], hidden: ReadonlySet<string>): readonly IterationShares[] {
  if (!SHARES.some((share) => hidden.has(share))) return list;
  return list.map((bar) => {
    const shares_ns = { ...bar.shares_ns };
    for (const share of SHARES) if (hidden.has(share)) shares_ns[share] = 0;
    return { ...bar, shares_ns, dur_ns: SHARES.reduce((sum, share) => sum + shares_ns[share], 0) };
  });
}

// One path for each share: all its parts of all bars in sight.
export function sharePaths(list: readonly IterationShares[], view: View, box: Box, most: number): Record<Share, string> {
  const paths = Object.fromEntries(SHARES.map((share) => [share, ""])) as Record<Share, string>;
  if (most <= 0) return paths;
  const wide = barWidth(view, box);
  const gap = wide > 6 ? Math.min(8, wide * 0.18) : 0;
  const [first, last] = inSight(view, list.length);
  for (let at = first; at < last; at++) {
    const bar = list[at];
    if (!bar) continue;
    const left = Math.max(box.left, xOf(at, view, box) + gap / 2);
    const right = Math.min(box.left + box.width, xOf(at + 1, view, box) - gap / 2);
    let bottom = box.top + box.height;
    for (const share of SHARES) {
      const height = (bar.shares_ns[share] / most) * box.height;
      if (height <= 0) continue;
      const line = `M${left.toFixed(2)} ${bottom.toFixed(2)}V${(bottom - height).toFixed(2)}H${right.toFixed(2)}V${bottom.toFixed(2)}Z`;
      paths[share] += line;
      bottom -= height;
    }
  }
  return paths;
}

// Zooms around the bar at `around`; never beyond all bars, never below two.
export function zoomed(view: View, factor: number, around: number, count: number): View {
  const wide = Math.min(count, Math.max(2, (view.last - view.first) * factor));
  const part = (around - view.first) / (view.last - view.first);
  const first = Math.max(0, Math.min(count - wide, around - part * wide));
  return { first, last: first + wide };
}

export function panned(view: View, by: number, count: number): View {
  const wide = view.last - view.first;
  const first = Math.max(0, Math.min(count - wide, view.first + by));
  return { first, last: first + wide };
}
