// The roofline: intensity to the right, FLOP per second upwards, both logarithmic; ceilings of the device; a circle for
// each op, layer or kernel, its area by its share of the time.
import { useMemo, useState } from "react";
import { useHidden } from "../../address/useHidden";
import { formatNs, formatPercent } from "../../widgets/format";
import { LegendItem } from "../../widgets/LegendItem";
import { useWidth } from "../../widgets/useWidth";
import {
  ceilingNames,
  colorOf,
  decades,
  formatRate,
  LIMITERS,
  formatPower,
  freeEnd,
  nearest,
  place,
  powers,
  roofOf,
  slopesOf,
  weighty,
  type Axis,
  type Ceiling,
  type Level,
  type Point,
  type Slope,
} from "./model";

const HEIGHT = 420;
const LEFT = 92;
const RIGHT = 12;
const TOP = 14;
const BOTTOM = 44;
const NAME_HEIGHT = 15; // pixels that a name of a ceiling needs
const INTENSITY = "arithmetic intensity: FLOP for each byte that must move";
const LETTER = 6.6; // pixels
const REACH = 14; // pixels around a point that count as on it

// What the legend hides points by, in the address.
const limitKey = (limiter: string | null): string => (limiter ?? "").replace(/\W+/g, "_") || "no_bound";

interface Drawn {
  x: number;
  y: number;
  r: number;
  point: Point;
}

// The memory's slope, and thin dashed ones of the levels before it, which the highest ceiling is drawn on for.
function Slopes({ slopes }: { slopes: readonly Slope[] }) {
  const memory = slopes.find((slope) => slope.level === null);
  const first = slopes.at(-1);
  return (
    <g>
      {memory && first && first !== memory && <line className="roof level" x1={first.x2} x2={memory.x2} y1={first.y2} y2={memory.y2} />}
      {slopes.map(({ name, level, x1, x2, y1, y2 }) => (
        <line key={name} className={level ? "roof level" : "roof memory"} {...{ x1, x2, y1, y2 }}>
          {level && <title>{aboutLevel(level)}</title>}
        </line>
      ))}
    </g>
  );
}

// Names stand above all lines: none goes through one.
function Names({ slopes, ceilings }: { slopes: readonly Slope[]; ceilings: readonly PlacedName[] }) {
  return (
    <g>
      {slopes
        .filter(({ named }) => named)
        .map(({ name, x1, x2, y1, y2 }) => (
          <text
            key={name}
            className="axis-text roof-name"
            transform={`translate(${String(x1)} ${String(y1)}) rotate(${String((Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI)}) translate(16 -4)`}
          >
            {name}
          </text>
        ))}
      {ceilings.map(
        ({ text, end, height }) =>
          end !== null && (
            <text key={text} className="axis-text end roof-name" x={end} y={height - 4}>
              {text}
            </text>
          ),
      )}
    </g>
  );
}

const namesOf = (ceilings: readonly Ceiling[], y: Axis) => ceilingNames(ceilings, y, NAME_HEIGHT);

// Whether a text has room within the picture.
const fits = (text: string, x: Axis): boolean => text.length * LETTER < x.high - x.low;

interface PlacedName {
  text: string;
  height: number;
  end: number | null; // null: it stands below the picture
}

const placed = (ceilings: readonly Ceiling[], x: Axis, y: Axis, drawn: readonly Drawn[]): PlacedName[] =>
  namesOf(ceilings, y).map((name) => ({ ...name, end: freeEnd(name.text.length * LETTER, name.height - 4, drawn, x.low, x.high - 4) }));

function Ceilings({ ceilings, x, y }: { ceilings: readonly Ceiling[]; x: Axis; y: Axis }) {
  return (
    <g>
      {ceilings.map((ceiling, at) => (
        <line
          key={ceiling.unit}
          className={at === 0 ? "roof" : "roof lower"}
          x1={place(x, ceiling.ridge ?? x.from)}
          x2={x.high}
          y1={place(y, ceiling.flops)}
          y2={place(y, ceiling.flops)}
        />
      ))}
    </g>
  );
}

const aboutLevel = (level: Level): string =>
  level.bandwidth === null
    ? `${level.name}: ${level.note ?? "its bandwidth is not known"}`
    : `${level.name}, at most ${formatRate(level.bandwidth, "B/s")}: what data that stays there could reach${level.note === null ? "" : `; ${level.note}`}`;

// What the slopes mean, and what is not known of them.
function LevelNotes({ levels }: { levels: readonly Level[] }) {
  const known = levels.filter((level) => level.bandwidth !== null);
  if (levels.length === 0) return null;
  if (known.length === 0)
    return (
      <p className="quiet roof-levels">
        No slopes of caches are drawn: {levels.map((level) => `${level.name} not known${level.note === null ? "" : ` (${level.note})`}`).join(", ")}.
      </p>
    );
  return (
    <p className="quiet roof-levels">
      Intensity counts the bytes that must come from the memory. The thin slopes are of levels before it and tell only what data that stays there could reach:{" "}
      {levels.map((level, at) => (
        <span key={level.name} title={aboutLevel(level)}>
          {at > 0 && ", "}
          {level.name} {level.bandwidth === null ? "not known" : formatRate(level.bandwidth, "B/s")}
          {level.note?.startsWith("estimate") && " (estimate)"}
        </span>
      ))}
      .
    </p>
  );
}

function Grid({ x, y }: { x: Axis; y: Axis }) {
  return (
    <g>
      {powers(x, 54).map((value) => (
        <g key={value}>
          <line className="axis-line" x1={place(x, value)} x2={place(x, value)} y1={TOP} y2={y.low} />
          <text className="axis-text middle" x={place(x, value)} y={y.low + 16}>
            {value < 1 ? String(Number(value.toPrecision(1))) : formatPower(value, "").trim()}
          </text>
        </g>
      ))}
      {powers(y, 30).map((value) => (
        <g key={value}>
          <line className="axis-line" x1={LEFT} x2={x.high} y1={place(y, value)} y2={place(y, value)} />
          <text className="axis-text end" x={LEFT - 8} y={place(y, value) + 4}>
            {formatPower(value, "FLOP/s")}
          </text>
        </g>
      ))}
      <text className="axis-text middle" x={(LEFT + x.high) / 2} y={HEIGHT - 8}>
        {fits(INTENSITY, x) ? INTENSITY : "FLOP/B"}
      </text>
    </g>
  );
}

// The four quarters: left and right of the ridge, at the roof and below it.
function Quarters({ ridge, x, y, names }: { ridge: number; x: Axis; y: Axis; names: readonly { height: number }[] }) {
  const at = place(x, ridge);
  const left = (LEFT + at) / 2;
  const right = (at + x.high) / 2;
  const words = [
    { x: left, y: TOP + 14, text: "at the memory bound" },
    { x: right, y: TOP + 14, text: "at a math ceiling" },
    { x: left, y: y.low - 8, text: "below the memory bound" },
    { x: right, y: y.low - 8, text: "below the math ceilings" },
  ];
  return (
    <g>
      <line className="axis-line strong dashed" x1={at} x2={at} y1={TOP} y2={y.low} />
      {words
        .filter((word) => (word.x < at ? at - LEFT : x.high - at) > 140 && names.every((name) => Math.abs(name.height - 4 - word.y) > NAME_HEIGHT))
        .map((word) => (
          <text key={word.text} className="quarter middle" x={word.x} y={word.y}>
            {word.text}
          </text>
        ))}
    </g>
  );
}

function Tip({ drawn, width }: { drawn: Drawn; width: number }) {
  const { point } = drawn;
  const toLeft = drawn.x > width * 0.6;
  return (
    <div className="chart-tip" role="status" style={{ top: Math.min(drawn.y + 10, HEIGHT - 130), ...(toLeft ? { right: width - drawn.x + 12 } : { left: drawn.x + 12 }) }}>
      <b>{point.name}</b>
      {point.more && <span className="quiet">{point.more}</span>}
      <span>
        {formatNs(point.time)}, {formatPercent(point.share)} of the time
      </span>
      <span>
        {formatRate(point.rate, "FLOP/s")} at {point.intensity.toPrecision(3)} FLOP/B
      </span>
      {point.remarks !== null && <span className="quiet">{point.remarks}</span>}
      {point.efficiency !== null && (
        <span>
          {formatPercent(point.efficiency)} of its bound{point.limiter === null ? "" : `; ${LIMITERS.find((each) => each.id === point.limiter)?.words ?? point.limiter}`}
        </span>
      )}
    </div>
  );
}

export function Chart({
  points,
  ceilings,
  levels,
  device,
  selected,
  onSelect,
}: {
  points: readonly Point[];
  ceilings: readonly Ceiling[];
  levels: readonly Level[];
  device: string;
  selected: string | null;
  onSelect: (point: Point) => void;
}) {
  const [holder, width] = useWidth<HTMLDivElement>();
  const [over, setOver] = useState<Drawn | null>(null);
  const [hidden] = useHidden();
  const roof = useMemo(() => roofOf(ceilings, device, points), [ceilings, device, points]);
  const { x, y, drawn } = useMemo(() => {
    const main = weighty(points);
    const [from, to] = decades([...main.map((point) => point.intensity), ...(roof.ridge === null ? [] : [roof.ridge])]);
    const [least, most] = decades([...main.map((point) => point.rate), ...roof.lines.map((line) => line.flops)]);
    const across: Axis = { from, to, low: LEFT, high: Math.max(LEFT + 50, width - RIGHT) };
    const up: Axis = { from: least, to: most, low: HEIGHT - BOTTOM, high: TOP };
    const circles = points.filter((point) => !hidden.has(limitKey(point.limiter))).map((point) => ({
      x: place(across, point.intensity),
      y: place(up, point.rate),
      r: Math.min(18, Math.max(2.5, 4 * Math.sqrt(point.share))),
      point,
    }));
    // Small ones lie above large ones.
    circles.sort((a, b) => b.r - a.r);
    return { x: across, y: up, drawn: circles };
  }, [points, roof, width, hidden]);
  const slopes = useMemo(() => {
    const highest = roof.lines[0];
    return highest ? slopesOf(roof.bandwidth, levels, highest.flops, x, y) : [];
  }, [roof, levels, x, y]);
  const names = useMemo(() => placed(roof.lines, x, y, drawn), [roof, x, y, drawn]);
  const at = (event: React.PointerEvent<SVGSVGElement> | React.MouseEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return nearest(drawn, event.clientX - box.left, event.clientY - box.top, REACH);
  };
  return (
    <div className="roofline" ref={holder}>
      {width > 0 && (
        <svg
          width="100%"
          height={HEIGHT}
          role="img"
          aria-label={`Roofline: ${String(points.length)} points; the table below has the same numbers`}
          className={over ? "pointing" : undefined}
          onPointerMove={(event) => {
            setOver(at(event));
          }}
          onPointerLeave={() => {
            setOver(null);
          }}
          onPointerCancel={() => {
            setOver(null);
          }}
          onClick={(event) => {
            const hit = at(event);
            if (hit) onSelect(hit.point);
          }}
        >
          <Grid x={x} y={y} />
          {roof.ridge !== null && <Quarters ridge={roof.ridge} x={x} y={y} names={namesOf(roof.lines, y)} />}
          {drawn.map(({ point, ...circle }) => (
            <circle
              key={point.key}
              className={`point c-${colorOf(point.limiter)}${point.key === selected ? " selected" : ""}`}
              data-key={point.key}
              cx={circle.x}
              cy={circle.y}
              r={circle.r}
            />
          ))}
          <Slopes slopes={slopes} />
          <Ceilings ceilings={roof.lines} x={x} y={y} />
          <Names slopes={slopes} ceilings={names} />
        </svg>
      )}
      {over && <Tip drawn={over} width={width} />}
      <ul className="legend inline">
        {LIMITERS.filter((each) => points.some((point) => (point.limiter ?? "") === each.id)).map((each) => (
          <LegendItem key={each.id} id={limitKey(each.id)} name={each.words} color={each.color} />
        ))}
      </ul>
      {names.some(({ end }) => end === null) && <p className="hint">Ceilings: {roof.lines.map((each) => `${each.unit} ${formatRate(each.flops, "FLOP/s")}`).join(", ")}.</p>}
      <LevelNotes levels={levels} />
    </div>
  );
}
