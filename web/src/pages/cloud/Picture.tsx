// The cloud: each mapping by its cycles and its energy, the Pareto front, and those with the fewest accesses of the
// outermost memory. The arrows go along the front; the pointer takes any mapping.
import { useMemo, useState, type KeyboardEvent, type MouseEvent } from "react";
import { useHidden } from "../../address/useHidden";
import { formatCount, formatFlops } from "../../widgets/format";
import { LegendButton } from "../../widgets/LegendItem";
import { valueAxis } from "../../widgets/LineChart";
import { pathOf } from "../../widgets/marks";
import { useWidth } from "../../widgets/useWidth";
import { formatEnergy, nearestOf, stepsOf, thinned, type CloudPoint, type Mark } from "./points";

const HEIGHT = 420;
const LEFT = 84;
const RIGHT = 24;
const TOP = 16;
const BOTTOM = 46;
const REACH = 14; // pixels around a mark that count as on it
const ROOM = 64; // pixels that a text below needs

type Scale = "linear" | "log";

const shorter = (text: string): string => text.replace(/\.0+(?= |$)/, "");

const about = (point: CloudPoint, outer: string): string =>
  `Draw ${point.draw}${point.pareto ? ", on the Pareto front" : ""}: ${formatEnergy(point.energy)}, ${formatCount(point.cycles)} cycles, ${formatCount(point.words)} words at ${outer}.`;

// Texts that have room.
function spaced(values: readonly number[], place: (value: number) => number): number[] {
  let free = -Infinity;
  return values.filter((value) => {
    if (place(value) < free) return false;
    free = place(value) + ROOM;
    return true;
  });
}

function Axes({ x, y, across, up, end }: { x: (value: number) => number; y: (value: number) => number; across: readonly number[]; up: readonly number[]; end: number }) {
  return (
    <>
      {up.map((value) => (
        <g key={value}>
          <line className="axis-line" x1={LEFT} x2={end} y1={y(value)} y2={y(value)} />
          <text className="axis-text end" x={LEFT - 8} y={y(value) + 4}>
            {formatEnergy(value)}
          </text>
        </g>
      ))}
      {spaced(across, x).map((value) => (
        <g key={value}>
          <line className="axis-line" x1={x(value)} x2={x(value)} y1={TOP} y2={HEIGHT - BOTTOM} />
          <text className="axis-text middle" x={x(value)} y={HEIGHT - BOTTOM + 18}>
            {shorter(formatFlops(value))}
          </text>
        </g>
      ))}
      <text className="axis-text middle" x={(LEFT + end) / 2} y={HEIGHT - 6}>
        cycles
      </text>
      <text className="axis-text middle" transform={`translate(12 ${String((TOP + HEIGHT - BOTTOM) / 2)}) rotate(-90)`}>
        energy
      </text>
    </>
  );
}

const dots = (marks: readonly Mark[], r: number): string => marks.map((mark) => pathOf("circle", mark.x, mark.y, r)).join("");

const KINDS = [
  { id: "mappings", name: "Mappings", k: 0, shape: "circle" },
  { id: "fewest", name: "Fewest accesses", k: 1, shape: "square" },
  { id: "front", name: "Pareto front", k: 2, shape: "diamond" },
] as const;

function Legend({ outer }: { outer: string }) {
  return (
    <ul className="legend inline">
      {KINDS.map(({ id, name, k, shape }) => (
        <li key={id}>
          <LegendButton
            id={id}
            name={id === "fewest" ? `${name} of ${outer} drawn` : name}
            swatch={
              <svg width="14" height="14" aria-hidden="true">
                <path className={`scatter-point k-${String(k)}`} d={pathOf(shape, 7, 7, 4.5)} />
              </svg>
            }
          />
        </li>
      ))}
    </ul>
  );
}

interface Props {
  points: readonly CloudPoint[];
  front: readonly CloudPoint[];
  outer: string;
  scale: Scale;
  selected: string | null;
  choose: (draw: string) => void;
}

// Where everything lies, for a width.
function useLaidOut({ points, front, scale }: Props, width: number) {
  const [hidden] = useHidden();
  return useMemo(() => {
    // Without energy there is no logarithm.
    const log = scale === "log" && points.every((point) => point.energy > 0) ? "log" : "linear";
    const across = valueAxis(points.map((point) => point.cycles), scale, "count");
    const up = valueAxis(points.map((point) => point.energy), log, "none");
    const end = Math.max(LEFT + 50, width - RIGHT);
    const x = (cycles: number) => LEFT + across.place(cycles) * (end - LEFT);
    const y = (energy: number) => HEIGHT - BOTTOM - up.place(energy) * (HEIGHT - TOP - BOTTOM);
    const fewest = points.reduce((least, point) => Math.min(least, point.words), Infinity);
    const seen = (id: string, of: readonly CloudPoint[]) => (hidden.has(id) ? [] : of);
    return {
      x,
      y,
      end,
      across: across.at,
      up: up.at,
      others: thinned(seen("mappings", points.filter((point) => point.words !== fewest)), x, y),
      least: thinned(seen("fewest", points.filter((point) => point.words === fewest)), x, y),
      front: seen("front", front).map((point) => ({ point, x: x(point.cycles), y: y(point.energy) })),
    };
  }, [points, front, scale, width, hidden]);
}

export function Picture(props: Props) {
  const { points, front, outer, selected, choose } = props;
  const [holder, width] = useWidth<HTMLDivElement>();
  const [over, setOver] = useState<CloudPoint | null>(null);
  const laid = useLaidOut(props, width);
  const { x, y } = laid;
  const at = (event: MouseEvent<SVGSVGElement>): CloudPoint | null => {
    const box = event.currentTarget.getBoundingClientRect();
    const [left, top] = [event.clientX - box.left, event.clientY - box.top];
    return (nearestOf(laid.front, left, top, REACH / 2) ?? nearestOf([...laid.front, ...laid.least, ...laid.others], left, top, REACH))?.point ?? null;
  };
  const walk = (event: KeyboardEvent) => {
    const now = front.findIndex((point) => point.draw === (over?.draw ?? selected));
    const to: Record<string, number> = { ArrowLeft: Math.max(0, now - 1), ArrowRight: Math.min(front.length - 1, now + 1), Home: 0, End: front.length - 1 };
    const next = to[event.key];
    if (next !== undefined && front[next]) setOver(front[next]);
    else if (event.key === "Enter" && over) choose(over.draw);
    else return;
    event.preventDefault();
  };
  const ringed = points.find((point) => point.draw === selected) ?? null;
  return (
    <div className="line-chart cloud" ref={holder}>
      {width > 0 && (
        <svg
          width="100%"
          height={HEIGHT}
          role="group"
          tabIndex={0}
          className={over ? "choosing pointing" : "choosing"}
          aria-label={`Energy against cycles of ${String(points.length)} mappings; arrows go along the Pareto front, Enter chooses. The table has the same numbers`}
          onKeyDown={walk}
          onBlur={() => {
            setOver(null);
          }}
          onPointerMove={(event) => {
            setOver(at(event));
          }}
          onPointerLeave={() => {
            setOver(null);
          }}
          onClick={(event) => {
            const hit = at(event);
            if (hit) choose(hit.draw);
          }}
        >
          <Axes x={x} y={y} across={laid.across} up={laid.up} end={laid.end} />
          <path className="cloud-dots k-0" d={dots(laid.others, 1.5)} />
          <path className="cloud-dots k-1" d={dots(laid.least, 2.5)} />
          {laid.front.length > 1 && <polyline className="chart-line k-2" points={stepsOf(laid.front)} />}
          {laid.front.map((mark) => (
            <path key={mark.point.draw} className={`scatter-point k-2${mark.point.draw === selected ? " over" : ""}`} data-draw={mark.point.draw} d={pathOf("diamond", mark.x, mark.y, mark.point.draw === selected ? 7 : 4.5)} />
          ))}
          {[ringed, over].map((point, which) => point && <circle key={which === 0 ? "chosen" : "over"} className="cloud-ring" cx={x(point.cycles)} cy={y(point.energy)} r={which === 0 ? 10 : 8} />)}
        </svg>
      )}
      <p className="heat-said" role="status">
        {over ? about(over, outer) : "Point at a mapping, or go along the front with the arrow keys; a click or Enter shows its loop nest."}
      </p>
      <Legend outer={outer} />
    </div>
  );
}
