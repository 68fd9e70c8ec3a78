// Numbers as people read them. Nothing here computes a metric: one value in, one text out. The program has the same rule
// (src/report/units.cpp); the tests of both read tests/data/units.json.

export type Unit = "none" | "count" | "ns" | "percent" | "bytes" | "flops" | "bytes_per_s";
export type Cell = string | number | boolean | null;

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const exactNumber = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6 });

// Three figures that count: 1.23, 12.3, 123.
function figures(value: number): string {
  const size = Math.abs(value);
  // The bounds are where rounding would show a figure more.
  if (size < 9.995) return value.toFixed(2);
  if (size < 99.95) return value.toFixed(1);
  return grouped.format(value);
}

function scaled(value: number, steps: readonly (readonly [number, string])[]): string {
  const size = Math.abs(value);
  for (const [factor, name] of steps) {
    if (size >= factor * 0.9995) return `${figures(value / factor)} ${name}`;
  }
  return "";
}

const TIMES = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
] as const;

export function formatNs(ns: number): string {
  return scaled(ns, TIMES) || `${exactShort(ns)} ns`;
}

const moment = new Intl.NumberFormat("en-US", { minimumFractionDigits: 6, maximumFractionDigits: 6 });

// A point in time, to the nanosecond: what begins close together must not read the same.
export function formatMoment(ns: number): string {
  return `${moment.format(ns / 1e6)} ms`;
}

// A whole number stays whole, a mean keeps two places.
function exactShort(value: number): string {
  return Number.isInteger(value) ? grouped.format(value) : value.toFixed(2).replace(/(?<=\d)(?=\d{3}\.)/, ",");
}

const SIZES = [
  [2 ** 40, "TiB"],
  [2 ** 30, "GiB"],
  [2 ** 20, "MiB"],
  [2 ** 10, "KiB"],
] as const;

export function formatBytes(bytes: number): string {
  return scaled(bytes, SIZES) || `${exactShort(bytes)} B`;
}

const AMOUNTS = [
  [1e18, "E"],
  [1e15, "P"],
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
] as const;

// A probability: two places, as of other numbers, would show a small one as none.
export const formatProbability = (p: number): string => (p < 1e-4 ? "< 0.0001" : p.toFixed(4));

// FLOPs, and FLOPs per second.
export function formatFlops(flops: number): string {
  return scaled(flops, AMOUNTS) || exactShort(flops);
}

// Whether the bounds of a share read differently.
export function isOpenShare(percent: number | null, most: number | null): most is number {
  return percent !== null && most !== null && formatPercent(percent) !== formatPercent(most);
}

// What is not quite nothing, or everything, must not read as it.
const readsAsWhole = (percent: number, text: string): boolean => percent > 0 && percent < 100 && [0, 100].includes(Number(text));

// Of a share known within bounds, short enough for a ring: both ends only where they read differently.
export function ringText(percent: number | null, most: number | null): string {
  if (percent === null) return "–";
  if (!isOpenShare(percent, most)) return formatPercent(percent);
  // Two ends with decimals do not fit into the ring, and "100.0%" says nothing that "at least" does not.
  if (most >= 99.95 && percent >= 99) return percent < 99.95 ? `≥${percent.toFixed(1)}%` : ">99.9%";
  for (const digits of [0, 1]) {
    const [low = "", high = ""] = [percent, most].map((end) => end.toFixed(digits));
    if (low !== high && !readsAsWhole(percent, low) && !readsAsWhole(most, high)) return `${low}–${high}%`;
  }
  return `${formatPercent(percent)}–${formatPercent(most)}`;
}

export function formatPercent(percent: number): string {
  if (percent !== 0 && Math.abs(percent) < 0.05) return percent > 0 ? "<0.1%" : ">-0.1%";
  // What is not quite everything must not read as everything.
  if (percent < 100 && percent >= 99.95) return ">99.9%";
  return `${percent.toFixed(1)}%`;
}

export function formatCount(count: number): string {
  return Number.isInteger(count) ? grouped.format(count) : figures(count);
}

export function formatValue(value: number, unit: Unit): string {
  switch (unit) {
    case "ns":
      return formatNs(value);
    case "bytes":
      return formatBytes(value);
    case "bytes_per_s":
      return `${formatBytes(value)}/s`;
    case "percent":
      return formatPercent(value);
    case "flops":
      return formatFlops(value);
    case "count":
    case "none":
      return formatCount(value);
  }
}

const SUFFIX: Record<Unit, string> = { ns: " ns", bytes: " bytes", bytes_per_s: " bytes/s", percent: "%", flops: "", count: "", none: "" };

// What the pointer shows: the value as the server gave it.
export function exactValue(value: number, unit: Unit): string {
  return `${exactNumber.format(value)}${SUFFIX[unit]}`;
}

// "[[32, 3, 224, 224], [64, 3, 7, 7], []]" as "32×3×224×224, 64×3×7×7". Text of another form stays as it is.
export function formatShapes(text: string): string {
  const shapes = parseList(text);
  if (!shapes) return text;
  return shapes
    .filter((shape) => Array.isArray(shape) && shape.length > 0)
    .map((shape) => (shape as unknown[]).map((size) => (Array.isArray(size) ? `(${size.join("×")})` : String(size))).join("×"))
    .join(", ");
}

// '["float", "float", "Bool"]' as "float, Bool": each once, in order.
export function formatTypes(text: string): string {
  const types = parseList(text);
  if (!types) return text;
  return [...new Set(types.map((type) => (Array.isArray(type) ? type.join(" ") : String(type))).filter(Boolean))].join(", ");
}

function parseList(text: string): unknown[] | null {
  if (!text.startsWith("[")) return null;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? (list as unknown[]) : null;
  } catch {
    return null;
  }
}
