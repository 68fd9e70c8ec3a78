// Iteration time of each run in their order, and where it changed.
import { exactValue, formatNs } from "../../widgets/format";
import { useWidth } from "../../widgets/useWidth";

export interface RunPoint {
  label: string;
  ns: number;
  changed: boolean; // the first run after a change
}

const HEIGHT = 240;
const LEFT = 84;
const TOP = 14;
const BOTTOM = 56;
const LETTER = 6.6; // pixels
const GAP = 12;
const RIGHT = 16;

function marginOf(values: readonly number[]): number {
  return Math.max(1, (Math.max(...values) - Math.min(...values)) / 10);
}

// Where the axis begins, in ns.
export function axisFrom(runs: readonly RunPoint[]): number {
  const values = runs.map((run) => run.ns);
  return Math.max(0, Math.min(...values) - marginOf(values));
}

// Two names fit below the axis.
export function shortName(label: string, room: number): string {
  const most = Math.max(2, Math.floor((room - GAP) / 2 / LETTER));
  return label.length <= most ? label : `${label.slice(0, most - 1)}…`;
}

// From where to where a name goes: the first begins at its run, the last ends there.
export function extentOf(labels: readonly string[], at: number, room: number): [number, number] {
  const last = labels.length - 1;
  const width = (labels[at]?.length ?? 0) * LETTER;
  const left = (room * at) / Math.max(1, last) - (at === 0 ? 0 : at === last ? width : width / 2);
  return [left, left + width];
}

// Which runs are named below the axis, so that names do not touch: the first and each so-manyth after it.
export function labelledRuns(labels: readonly string[], room: number): number[] {
  for (let step = 1; step < labels.length; ++step) {
    const named = labels.flatMap((_, at) => (at % step === 0 ? [at] : []));
    const extents = named.map((at) => extentOf(labels, at, room));
    if (extents.every(([, end], i) => end <= room + RIGHT && end + GAP <= (extents[i + 1]?.[0] ?? Infinity))) return named;
  }
  return [0];
}

export function TrendChart({ runs }: { runs: readonly RunPoint[] }) {
  const [holder, width] = useWidth<HTMLDivElement>();
  const values = runs.map((run) => run.ns);
  const from = axisFrom(runs);
  const to = Math.max(...values) + marginOf(values);
  const room = Math.max(1, width - LEFT - RIGHT);
  const names = runs.map((run) => shortName(run.label, room));
  const x = (at: number): number => LEFT + (room * at) / Math.max(1, runs.length - 1);
  const y = (ns: number): number => TOP + HEIGHT * (1 - (ns - from) / (to - from));
  return (
    <div className="trend" ref={holder}>
      <svg width="100%" height={TOP + HEIGHT + BOTTOM} role="img" aria-label="Iteration time by run; the tables below have the numbers">
        {[0, 0.25, 0.5, 0.75, 1].map((part) => {
          const ns = from + part * (to - from);
          return (
            <g key={part}>
              <path className="trend-grid" d={`M${String(LEFT)} ${String(y(ns))}H${String(LEFT + room)}`} />
              <text className="axis-text" x={LEFT - 8} y={y(ns) + 4} textAnchor="end">
                {formatNs(ns)}
              </text>
            </g>
          );
        })}
        <polyline className="trend-line" points={runs.map((run, at) => `${String(x(at))},${String(y(run.ns))}`).join(" ")} />
        {runs.map((run, at) => (
          <g key={at}>
            {run.changed && (
              <>
                <path className="trend-change" d={`M${String(x(at))} ${String(TOP)}V${String(TOP + HEIGHT)}`} />
                <text className="axis-text strong" x={x(at)} y={TOP + HEIGHT + 34} textAnchor="middle">
                  change at {run.label}
                </text>
              </>
            )}
            <circle className={run.changed ? "trend-point changed" : "trend-point"} cx={x(at)} cy={y(run.ns)} r="4">
              <title>{`${run.label}: ${exactValue(run.ns, "ns")}`}</title>
            </circle>
          </g>
        ))}
        {labelledRuns(names, room).map((at) => (
          <text key={at} className="axis-text" x={x(at)} y={TOP + HEIGHT + 18} textAnchor={at === 0 ? "start" : at === runs.length - 1 ? "end" : "middle"}>
            {names[at]}
            <title>{runs[at]?.label}</title>
          </text>
        ))}
        <text className="axis-text" x={LEFT + room / 2} y={TOP + HEIGHT + 50} textAnchor="middle">
          runs in their order
        </text>
        <text className="axis-text" transform={`translate(12 ${String(TOP + HEIGHT / 2)}) rotate(-90)`} textAnchor="middle">
          median iteration
        </text>
      </svg>
    </div>
  );
}
