// What the roofline draws, and where. The numbers are the server's; here they only get a place.
import type { Row } from "../../table/row";
import { formatFlops } from "../../widgets/format";

export interface Ceiling {
  device: string; // rank and number, for several
  name: string;
  unit: string; // "matrix fp16"
  flops: number; // per second
  bandwidth: number | null; // bytes per second
  ridge: number | null; // FLOP per byte
}

// A level between the units and the memory: a cache, or shared memory.
export interface Level {
  device: string;
  name: string; // "L2"
  bandwidth: number | null; // bytes per second; null: no source tells it
  ridge: number | null;
  note: string | null;
}

export interface Point {
  key: string;
  name: string;
  more: string;
  intensity: number; // FLOP per byte
  rate: number; // FLOP per second
  time: number; // ns
  share: number; // percent of all time
  efficiency: number | null;
  limiter: string | null;
  remarks: string | null;
  side: string | null; // of the ridge, by its own bound: "math", "memory"
}

export const LIMITERS = [
  { id: "math", words: "limited by math", color: "tensor_core" },
  { id: "memory", words: "limited by memory", color: "memory" },
  { id: "math and memory", words: "limited by both", color: "io" },
  { id: "below its bound", words: "below its bound", color: "communication" },
  { id: "", words: "no bound is known", color: "cpu" },
] as const;

export const colorOf = (limiter: string | null): string => LIMITERS.find((each) => each.id === (limiter ?? ""))?.color ?? "unknown";

const deviceOf = (row: Row): string => `${row.text("rank") ?? ""}/${row.text("device") ?? ""}`;

export function ceilingsOf(rows: readonly Row[]): Ceiling[] {
  return rows.flatMap((row) => {
    const flops = row.number("flops_per_s");
    const unit = row.text("unit");
    if (flops === null || !(flops > 0) || unit === null) return [];
    return [{ device: deviceOf(row), name: row.text("name") ?? row.text("model") ?? "Device", unit, flops, bandwidth: row.number("bytes_per_s"), ridge: row.number("ridge") }];
  });
}

const LEVEL = "memory ";

export function levelsOf(rows: readonly Row[], device: string): Level[] {
  const levels = rows.flatMap((row) => {
    const unit = row.text("unit") ?? "";
    if (!unit.startsWith(LEVEL) || deviceOf(row) !== device) return [];
    return [{ device, name: unit.slice(LEVEL.length), bandwidth: row.number("bytes_per_s"), ridge: row.number("ridge"), note: row.text("note") }];
  });
  return levels.sort((a, b) => (a.bandwidth ?? 0) - (b.bandwidth ?? 0));
}

// What has work and took time; the rest has no place between the axes.
export function pointsOf(rows: readonly Row[], keyOf: (row: Row) => string, nameKey: string, moreKeys: readonly string[]): Point[] {
  return rows.flatMap((row) => {
    const intensity = row.number("intensity");
    const rate = row.number("flops_per_s");
    const time = row.number("time_ns");
    if (intensity === null || rate === null || time === null || !(intensity > 0) || !(rate > 0)) return [];
    const more = moreKeys.flatMap((key) => row.word(key) ?? []).join(" · ");
    return [
      {
        key: keyOf(row),
        name: row.text(nameKey) ?? "",
        more,
        intensity,
        rate,
        time,
        share: row.number("time_pct") ?? 0,
        efficiency: row.number("efficiency_pct"),
        limiter: row.text("limiter"),
        remarks: row.text("remarks"),
        side: row.text("ridge_side"),
      },
    ];
  });
}

// A logarithmic axis.
export interface Axis {
  from: number;
  to: number;
  low: number; // pixels
  high: number;
}

export const place = (axis: Axis, value: number): number =>
  axis.low + ((Math.log(Math.min(Math.max(value, axis.from), axis.to)) - Math.log(axis.from)) / (Math.log(axis.to) - Math.log(axis.from))) * (axis.high - axis.low);

// From one power of ten to another, with room around all values.
export function decades(values: readonly number[]): [number, number] {
  const known = values.filter((value) => value > 0 && Number.isFinite(value));
  if (known.length === 0) return [1, 10];
  const low = 10 ** Math.floor(Math.log10(Math.min(...known) / 1.3));
  const high = 10 ** Math.ceil(Math.log10(Math.max(...known) * 1.3));
  return [low, Math.max(high, low * 10)];
}

const NEARLY_ALL = 99.5; // percent of the time of all points

// The points that the axes are made for: without specks of no time, which would make them long.
export function weighty(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => b.time - a.time);
  const all = sorted.reduce((sum, point) => sum + point.time, 0);
  let seen = 0;
  return sorted.filter((point) => {
    const counts = seen < (all * NEARLY_ALL) / 100;
    seen += point.time;
    return counts;
  });
}

// Powers of ten within an axis, as many as there is room for.
export function powers(axis: Axis, room: number): number[] {
  const first = Math.ceil(Math.log10(axis.from) - 1e-9);
  const last = Math.floor(Math.log10(axis.to) + 1e-9);
  const step = Math.max(1, Math.ceil(((last - first + 1) * room) / Math.max(1, Math.abs(axis.high - axis.low))));
  const values: number[] = [];
  for (let power = first; power <= last; power += step) values.push(10 ** power);
  return values;
}

const WRONG_SIDE = 0.05; // of the points' time

// Where the points' own bounds go over from memory to math: the ridge of the ceiling that parts them best. Null where
// none does, as where several formats have one each.
function ridgeOf(lines: readonly Ceiling[], points: readonly Point[]): number | null {
  const sided = points.filter((point) => point.side !== null);
  const all = sided.reduce((sum, point) => sum + point.time, 0);
  const wrong = (ridge: number) =>
    sided.filter((point) => (point.side === "math" ? point.intensity * 1.02 < ridge : point.intensity > ridge * 1.02)).reduce((sum, point) => sum + point.time, 0);
  const ridges = lines.flatMap((line) => (line.ridge === null ? [] : [{ ridge: line.ridge, wrong: wrong(line.ridge) }]));
  const best = ridges.reduce<(typeof ridges)[number] | null>((least, each) => (least === null || each.wrong < least.wrong ? each : least), null);
  return best !== null && best.wrong <= all * WRONG_SIDE ? best.ridge : null;
}

// The ceilings of a device that are worth a line, the highest first, each unit once; and the ridge of the points.
export function roofOf(ceilings: readonly Ceiling[], device: string, points: readonly Point[]): { lines: Ceiling[]; bandwidth: number | null; ridge: number | null } {
  const lines = ceilings.filter((each) => each.device === device).sort((a, b) => b.flops - a.flops);
  const bandwidth = lines.find((each) => each.bandwidth !== null)?.bandwidth ?? null;
  return { lines, bandwidth, ridge: ridgeOf(lines, points) };
}

// A slope of the memory or of a level: from the lower left corner of the axes up to the highest ceiling.
export interface Slope {
  name: string; // "L2 7.22 TB/s"
  level: Level | null; // null: the memory
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  named: boolean; // there is room for its name along it
}

const NAME_ROOM = 13; // pixels between two names along slopes
const LETTER = 6.6; // pixels of a letter, about

export function slopesOf(bandwidth: number | null, levels: readonly Level[], top: number, x: Axis, y: Axis): Slope[] {
  const slopes: Slope[] = [];
  let last: { x1: number; y1: number; sine: number; cosine: number } | null = null;
  const all = [...(bandwidth === null ? [] : [{ name: "memory", rate: bandwidth, level: null }]), ...levels.map((level) => ({ name: level.name, rate: level.bandwidth, level }))];
  for (const { name, rate, level } of all) {
    if (rate === null || !(top / rate > x.from)) continue; // its ridge lies left of the axes
    const from = Math.max(x.from, y.from / rate);
    const slope = { x1: place(x, from), y1: place(y, from * rate), x2: place(x, top / rate), y2: place(y, top) };
    const length = Math.hypot(slope.x2 - slope.x1, slope.y2 - slope.y1);
    const words = `${name} ${formatRate(rate, "B/s")}`;
    // How far it lies from the one named last: all of them are parallel.
    const apart: number = last === null ? NAME_ROOM : Math.abs((slope.y1 - last.y1) * last.cosine - (slope.x1 - last.x1) * last.sine);
    const named = apart >= NAME_ROOM && length > (words.length + 4) * LETTER;
    if (named) last = { x1: slope.x1, y1: slope.y1, sine: (slope.y2 - slope.y1) / length, cosine: (slope.x2 - slope.x1) / length };
    slopes.push({ name: words, level, ...slope, named });
  }
  return slopes;
}

// Names of ceilings (the highest first) and how high on the screen they stand. Those too near to each other share a
// line: "matrix fp8, int8 1.98 PFLOP/s · fp16, bf16 989 TFLOP/s".
export function ceilingNames(ceilings: readonly Ceiling[], y: Axis, room: number): { height: number; text: string }[] {
  const levels: { height: number; kind: string; formats: string[]; flops: number }[] = [];
  for (const { unit, flops } of ceilings) {
    const [kind = "", format = ""] = unit.split(" ");
    const last = levels.at(-1);
    if (last?.flops === flops && last.kind === kind) last.formats.push(format);
    else levels.push({ height: place(y, flops), kind, formats: [format], flops });
  }
  const names: { height: number; text: string }[] = [];
  let before = "";
  for (const { height, kind, formats, flops } of levels) {
    const last = names.at(-1);
    const shares = last !== undefined && height - last.height < room;
    const words = `${shares && kind === before ? "" : `${kind} `}${formats.join(", ")} ${formatRate(flops, "FLOP/s")}`;
    if (shares) last.text += ` · ${words}`;
    else names.push({ height, text: words });
    before = kind;
  }
  return names;
}

// Where a text of this width may end, as far right as may be, so that it covers none of the circles; null: nowhere
// between `from` and `to`. `base`: its base line.
export function freeEnd(width: number, base: number, circles: readonly { x: number; y: number; r: number }[], from: number, to: number): number | null {
  const LINE = 12; // pixels above the base line, and below it what letters have there
  const UNDER = 4;
  const near = circles.filter(({ y, r }) => y + r > base - LINE && y - r < base + UNDER);
  for (let end = to; end - width >= from; ) {
    const covered = near.filter(({ x, r }) => x + r > end - width && x - r < end);
    if (covered.length === 0) return end;
    end = Math.min(...covered.map(({ x, r }) => x - r)) - 1;
  }
  return null;
}

// "989 TFLOP/s"
export function formatRate(value: number, unit: string): string {
  const text = formatFlops(value);
  return /[a-z]$/i.test(text) ? `${text}${unit}` : `${text} ${unit}`;
}

// A power of ten: "10 TFLOP/s".
export const formatPower = (value: number, unit: string): string => formatRate(value, unit).replace(/\.0+(?= )/, "");

// The point nearest to a place, within reach; in pixels.
export function nearest<T extends { x: number; y: number; r: number }>(points: readonly T[], x: number, y: number, reach: number): T | null {
  let best: T | null = null;
  let least = reach;
  for (const point of points) {
    const distance = Math.max(0, Math.hypot(point.x - x, point.y - y) - point.r);
    if (distance < least || (distance === 0 && least === 0 && best && point.r <= best.r)) {
      best = point;
      least = distance;
    }
  }
  return best;
}
