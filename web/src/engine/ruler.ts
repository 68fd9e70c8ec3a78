// Marks of the time ruler at round numbers.

export interface Tick {
  time: number;
  major: boolean;
}

// 1, 2 or 5 times a power of ten, no less than `least`.
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5]) if (factor * power >= least * 0.999999) return factor * power;
  return 10 * power;
}

export function ticks(begin: number, end: number, pixels: number, spacing = 110): { step: number; list: Tick[] } {
  const step = roundStep(Math.max(((end - begin) / pixels) * spacing, 1));
  const minor = step / 5;
  const list: Tick[] = [];
  for (let i = Math.ceil(begin / minor); i * minor <= end; i += 1) list.push({ time: i === 0 ? 0 : i * minor, major: i % 5 === 0 });
  return { step, list };
}

const UNITS = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
] as const;

// A time on the ruler, with as many places as the step between marks needs: "1.25 s", "803.2 ms".
export function tickText(time: number, step: number): string {
  const size = Math.max(Math.abs(time), step);
  for (const [factor, name] of UNITS) {
    if (size < factor * 0.9999999 && factor > 1) continue;
    const places = Math.min(Math.max(0, Math.ceil(-Math.log10(step / factor) - 1e-9)), 9);
    return `${(time / factor).toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places })} ${name}`;
  }
  return "0";
}
