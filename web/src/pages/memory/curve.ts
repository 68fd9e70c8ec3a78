// The curve of what a device holds: steps, with a gap where the recording pauses.
import type { MemoryDevice } from "../../api/types";
import type { Stretch } from "../../widgets/stretches";

export interface Point {
  t: number;
  allocated: number;
  reserved: number | null;
}

export const pointsOf = (device: MemoryDevice): Point[] =>
  device.points.map(([t, allocated, reserved]) => ({ t: t ?? 0, allocated: allocated ?? 0, reserved: reserved ?? null }));

export interface Part {
  points: readonly Point[]; // at least one
  end: number; // until when the last of them is known to hold
}

// What is between pauses, by time as they are.
export function partsOf(points: readonly Point[], pauses: readonly Stretch[]): Part[] {
  const parts: Part[] = [];
  let own: Point[] = [];
  let next = 0;
  for (const point of points) {
    const last = own[own.length - 1];
    while (next < pauses.length && (pauses[next]?.end ?? 0) <= (last?.t ?? Number.NEGATIVE_INFINITY)) next += 1;
    const pause = pauses[next];
    if (last && pause && pause.end <= point.t) {
      parts.push({ points: own, end: Math.max(last.t, pause.begin) });
      own = [];
    }
    own.push(point);
  }
  const last = own[own.length - 1];
  if (last) parts.push({ points: own, end: last.t });
  return parts;
}

export function stepPath(parts: readonly Part[], which: "allocated" | "reserved", x: (t: number) => number, y: (bytes: number) => number, close: boolean): string {
  return parts.map((part) => stepsOf(part, which, x, y, close)).join("");
}

function stepsOf({ points, end }: Part, which: "allocated" | "reserved", x: (t: number) => number, y: (bytes: number) => number, close: boolean): string {
  let path = "";
  let first: Point | null = null;
  for (const point of points) {
    const value = point[which];
    if (value === null) continue;
    path += first ? `H${x(point.t).toFixed(1)}V${y(value).toFixed(1)}` : `M${x(point.t).toFixed(1)} ${y(value).toFixed(1)}`;
    first ??= point;
  }
  if (!first) return "";
  path += `H${x(end).toFixed(1)}`;
  return close ? `${path}V${y(0).toFixed(1)}H${x(first.t).toFixed(1)}Z` : path;
}

// The last point until a time, unless the recording has paused since.
export function pointAt(points: readonly Point[], pauses: readonly Stretch[], t: number): Point | undefined {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.t ?? 0) <= t) low = middle + 1;
    else high = middle;
  }
  const point = points[low - 1];
  return point && pauses.some(({ begin, end }) => begin < t && end > point.t) ? undefined : point;
}
