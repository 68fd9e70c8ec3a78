// Series of points with lines between them: each has a shape and a colour, and the keyboard reads them one by one.
import { useState, type KeyboardEvent } from "react";
import { useHidden } from "../address/useHidden";
import { formatValue, type Unit } from "./format";
import { LegendButton } from "./LegendItem";
import { along, bounds, hideKey, pathOf, powersIn, SHAPES } from "./marks";
import { byteTicks, ticks } from "./ticks";
import { useWidth } from "./useWidth";

export interface ChartPoint {
  key: string;
  x: number;
  y: number;
  spread?: readonly [number, number] | null; // least and most of what it is the middle of
  about: string; // all of it, as a sentence
}

export interface ChartSeries {
  name: string;
  points: readonly ChartPoint[]; // by rising x
  fit?: readonly { x: number; y: number }[]; // a line that was fitted to them
  dotted?: boolean; // what the others stand beside
}

export interface ChartMark {
  x: number;
  text: string;
}

export interface Tick {
  at: number;
  text: string;
}

interface Props {
  label: string;
  series: readonly ChartSeries[];
  unit: Unit;
  xTicks: readonly Tick[];
  xTitle: string;
  marks?: readonly ChartMark[];
  scales: { x: "linear" | "log"; y: "linear" | "log" };
  choose?: (point: ChartPoint) => void;
  chosen?: string | null;
  height?: number;
}

const LEFT = 84;
const RIGHT = 26;
const TOP = 26;
const BOTTOM = 44;
const LINE = 16; // of the texts of marks
const NEVER = "\u0000";

type Place = (value: number) => number;

// From 0, or between round values: powers of 2 of bytes, else 1, 2 and 5 times powers of 10.
export function valueAxis(values: readonly number[], kind: "linear" | "log", unit: Unit): { at: readonly number[]; place: Place } {
  const most = Math.max(...values);
  if (kind === "log" && unit === "bytes") {
    const ends = bounds(values, 2);
    return { at: powersIn(ends, 2, 6), place: (value) => along(value, ends) };
  }
  if (kind === "log") {
    const at = decades(Math.min(...values), most);
    return { at, place: (value) => along(value, [at[0] ?? 1, at.at(-1) ?? 1]) };
  }
  return { at: unit === "bytes" ? byteTicks(most, 5) : ticks(most, 5), place: (value) => (most > 0 ? value / (most * 1.05) : 0) };
}

const ROOM_FOR_FIVES = 2; // powers of 10

// Round values from the last that is not above the least to the first that is not below the most.
function decades(least: number, most: number): number[] {
  const from = Math.floor(Math.log10(least) + 1e-9);
  const to = Math.ceil(Math.log10(most) - 1e-9);
  const factors = Math.log10(most / least) > ROOM_FOR_FIVES ? [1] : [1, 2, 5];
  const all = Array.from({ length: to - from + 2 }, (_, at) => factors.map((factor) => factor * 10 ** (from + at))).flat();
  const first = all.filter((value) => value <= least * (1 + 1e-9)).length - 1;
  const last = all.findIndex((value) => value >= most * (1 - 1e-9));
  return all.slice(Math.max(0, first), Math.max(last, first + 1) + 1);
}

// A little room at both ends; one value alone stands in the middle.
export function acrossAxis(values: readonly number[], kind: "linear" | "log"): Place {
  const least = Math.min(...values);
  const most = Math.max(...values);
  if (!(most > least)) return () => 0.5;
  const share: Place = kind === "log" ? (value) => along(value, [least, most]) : (value) => (value - least) / (most - least);
  return (value) => 0.03 + 0.94 * share(value);
}

function Legend({ series }: { series: readonly ChartSeries[] }) {
  if (series.length < 2) return null;
  return (
    <ul className="legend inline">
      {series.map((each, at) => (
        <li key={each.name}>
          <LegendButton
            id={hideKey(each.name)}
            name={each.name}
            swatch={
              <svg width="14" height="14" aria-hidden="true">
                <path className={`scatter-point k-${String(at % SHAPES.length)}`} d={pathOf(SHAPES[at % SHAPES.length] ?? "circle", 7, 7, 4.5)} />
              </svg>
            }
          />
        </li>
      ))}
    </ul>
  );
}

function Drawn({ series, at, x, y, over, chosen, enter, choose }: { series: ChartSeries; at: number; x: Place; y: Place; over: string; chosen: string | null; enter: (point: ChartPoint | null) => void; choose: Props["choose"] }) {
  const shape = SHAPES[at % SHAPES.length] ?? "circle";
  const line = (points: readonly { x: number; y: number }[]) => points.map((point) => `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`).join(" ");
  return (
    <g className={`k-${String(at % SHAPES.length)}`}>
      {series.fit && <polyline className="chart-fit" points={line(series.fit)} />}
      <polyline className={series.dotted ? "chart-line dotted" : "chart-line"} points={line(series.points)} />
      {series.points.map((point) => (
        <g key={point.key}>
          {point.spread && (
            <path className="chart-spread" d={`M${x(point.x).toFixed(1)} ${y(point.spread[0]).toFixed(1)}V${y(point.spread[1]).toFixed(1)}m-4 0h8M${(x(point.x) - 4).toFixed(1)} ${y(point.spread[0]).toFixed(1)}h8`} />
          )}
          <path
            className={point.key === over || point.key === chosen ? "scatter-point over" : "scatter-point"}
            data-point={point.key}
            d={pathOf(shape, x(point.x), y(point.y), point.key === over || point.key === chosen ? 7 : 5)}
            onPointerEnter={() => {
              enter(point);
            }}
            onPointerLeave={() => {
              enter(null);
            }}
            onClick={() => choose?.(point)}
          />
        </g>
      ))}
    </g>
  );
}

export function LineChart({ label, series, unit, xTicks, xTitle, marks = [], scales, choose, chosen = null, height = 280 }: Props) {
  const [holder, width] = useWidth<HTMLDivElement>();
  const [over, setOver] = useState<ChartPoint | null>(null);
  const [hidden] = useHidden();
  const seen = series.map((each, at) => ({ each, at })).filter(({ each }) => series.length < 2 || !hidden.has(hideKey(each.name)));
  const points = seen.flatMap(({ each }) => each.points).sort((a, b) => a.x - b.x);
  const room = Math.max(1, width - LEFT - RIGHT);
  const up = valueAxis(points.length > 0 ? points.flatMap((point) => [point.y, ...(point.spread ?? [])]) : [1], scales.y, unit);
  const across = acrossAxis(points.length > 0 ? [...points.map((point) => point.x), ...seen.flatMap(({ each }) => each.fit?.map((place) => place.x) ?? [])] : [0], scales.x);
  const x: Place = (value) => LEFT + room * across(value);
  const levels = levelsOf(marks, x, LEFT + room);
  const top = TOP + LINE * Math.max(0, ...levels);
  const y: Place = (value) => top + (height - top - BOTTOM) * (1 - up.place(value));
  const walk = (event: KeyboardEvent) => {
    const at = points.findIndex((point) => point.key === over?.key);
    const to: Record<string, number> = { ArrowLeft: Math.max(0, at - 1), ArrowRight: Math.min(points.length - 1, at + 1), Home: 0, End: points.length - 1 };
    const next = to[event.key];
    if (next !== undefined && points[next]) setOver(points[next]);
    else if (event.key === "Enter" && over) choose?.(over);
    else return;
    event.preventDefault();
  };
  return (
    <div className="line-chart" ref={holder}>
      {width > 0 && (
        <svg
          width="100%"
          height={height}
          role="group"
          tabIndex={0}
          aria-label={`${label}: ${String(points.length)} points; arrows go from one to the next. The table has the same numbers`}
          className={choose ? "choosing" : undefined}
          onKeyDown={walk}
          onBlur={() => {
            setOver(null);
          }}
        >
          {up.at.map((value) => (
            <g key={value}>
              <line className="axis-line" x1={LEFT} x2={LEFT + room} y1={y(value)} y2={y(value)} />
              <text className="axis-text end" x={LEFT - 8} y={y(value) + 4}>
                {formatValue(value, unit).replace(/\.0+(?= |$)/, "")}
              </text>
            </g>
          ))}
          {roomy(xTicks, x).map((tick) => (
            <text key={tick.at} className="axis-text middle" x={x(tick.at)} y={height - BOTTOM + 18}>
              {tick.text}
            </text>
          ))}
          <text className="axis-text middle" x={LEFT + room / 2} y={height - 6}>
            {xTitle}
          </text>
          {marks.map((mark, at) => (
            <g key={`${String(mark.x)} ${mark.text}`}>
              <path className="trend-change" d={`M${x(mark.x).toFixed(1)} ${String(TOP - 4 + LINE * (levels[at] ?? 0))}V${String(height - BOTTOM)}`} />
              <text className={`axis-text strong ${beforeIts(mark, x, LEFT + room) ? "end" : ""}`} x={x(mark.x)} y={TOP - 8 + LINE * (levels[at] ?? 0)}>
                {mark.text}
              </text>
            </g>
          ))}
          {seen.map(({ each, at }) => (
            <Drawn key={each.name} series={each} at={at} x={x} y={y} over={over?.key ?? NEVER} chosen={chosen} enter={setOver} choose={choose} />
          ))}
        </svg>
      )}
      <p className="heat-said" role="status">
        {over ? over.about : "Point at a mark, or use the arrow keys in the picture, to read it."}
      </p>
      <Legend series={series} />
    </div>
  );
}

const LETTER = 6.6; // of strong text, as wide as it can be on average

const beforeIts = (mark: ChartMark, x: Place, end: number): boolean => x(mark.x) + LETTER * mark.text.length > end;

// The line of each mark's text, so that none runs into another.
export function levelsOf(marks: readonly ChartMark[], x: Place, end: number): number[] {
  const taken: [number, number][][] = [];
  return marks.map((mark) => {
    const size = LETTER * mark.text.length + 8;
    const from = beforeIts(mark, x, end) ? x(mark.x) - size : x(mark.x);
    let level = 0;
    while (taken[level]?.some(([low, high]) => from < high && low < from + size)) level++;
    (taken[level] ??= []).push([from, from + size]);
    return level;
  });
}

// Those that do not run into the one before.
function roomy(all: readonly Tick[], x: Place): Tick[] {
  const kept: Tick[] = [];
  let free = -Infinity;
  for (const tick of all) {
    const half = tick.text.length * 3.6 + 6;
    if (x(tick.at) - half < free) continue;
    kept.push(tick);
    free = x(tick.at) + half;
  }
  return kept;
}
