// Marks of a picture that shapes tell apart as well as colours, and axes of powers.
export const SHAPES = ["circle", "square", "up", "diamond", "down", "cross"] as const;
export type Shape = (typeof SHAPES)[number];

// Powers of `base` around all values.
export function bounds(values: readonly number[], base: number): [number, number] {
  const low = Math.floor(Math.log(Math.min(...values)) / Math.log(base) + 1e-9);
  const high = Math.ceil(Math.log(Math.max(...values)) / Math.log(base) - 1e-9);
  return [base ** low, base ** Math.max(high, low + 1)];
}

// Powers of `base` from one bound to the other, so many that each has room.
export function powersIn([from, to]: readonly [number, number], base: number, room: number): number[] {
  const count = Math.round(Math.log(to / from) / Math.log(base));
  const every = Math.max(1, Math.ceil(count / Math.max(1, room)));
  return Array.from({ length: Math.floor(count / every) + 1 }, (_, at) => from * base ** (at * every));
}

export const along = (value: number, [from, to]: readonly [number, number]): number => Math.log(value / from) / Math.log(to / from);

// A shape around a point, as a path.
export function pathOf(shape: Shape, x: number, y: number, r: number): string {
  const at = (dx: number, dy: number) => `${(x + dx).toFixed(1)} ${(y + dy).toFixed(1)}`;
  switch (shape) {
    case "circle":
      return `M${at(-r, 0)}a${String(r)} ${String(r)} 0 1 0 ${String(2 * r)} 0a${String(r)} ${String(r)} 0 1 0 ${String(-2 * r)} 0Z`;
    case "square":
      return `M${at(-r, -r)}L${at(r, -r)}L${at(r, r)}L${at(-r, r)}Z`;
    case "up":
      return `M${at(0, -r)}L${at(r, r)}L${at(-r, r)}Z`;
    case "down":
      return `M${at(0, r)}L${at(r, -r)}L${at(-r, -r)}Z`;
    case "diamond":
      return `M${at(0, -1.3 * r)}L${at(1.3 * r, 0)}L${at(0, 1.3 * r)}L${at(-1.3 * r, 0)}Z`;
    case "cross": {
      const t = r * 0.4;
      return `M${at(-t, -r)}L${at(t, -r)}L${at(t, -t)}L${at(r, -t)}L${at(r, t)}L${at(t, t)}L${at(t, r)}L${at(-t, r)}L${at(-t, t)}L${at(-r, t)}L${at(-r, -t)}L${at(-t, -t)}Z`;
    }
  }
}

// What stands for a name in `hide` of the address.
export const hideKey = (name: string): string => name.replace(/\W+/g, "_");
