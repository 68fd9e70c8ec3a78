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

function marginOf(values: readonly number[]): number {
  return Math.max(1, (Math.max(...values) - Math.min(...values)) / 10);
}

// Where the axis begins, in ns.
export function axisFrom(runs: readonly RunPoint[]): number {
  const values = runs.map((run) => run.ns);
  return Math.max(0, Math.min(...values) - marginOf(values));
}

// Which runs are named below the axis, so that names do not touch: the first and each so-manyth after it.
export function namedRuns(labels: readonly string[], room: number): number[] {
  // The first begins at its run and the last ends there: half of one more is needed.
  const widest = 1.5 * (Math.max(...labels.map((label) => label.length)) * LETTER) + 12;
  const step = Math.max(1, Math.ceil((widest * Math.max(1, labels.length - 1)) / Math.max(1, room)));
  return labels.flatMap((_, at) => (at % step === 0 ? [at] : []));
}

export function TrendChart({ runs }: { runs: readonly RunPoint[] }) {
  const [holder, width] = useWidth<HTMLDivElement>();
  const values = runs.map((run) => run.ns);
  const from = axisFrom(runs);
  const to = Math.max(...values) + marginOf(values);
  const room = Math.max(1, width - LEFT - 16);
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
        {namedRuns(
          runs.map((run) => run.label),
          room,
        ).map((at) => (
          <text key={at} className="axis-text" x={x(at)} y={TOP + HEIGHT + 18} textAnchor={at === 0 ? "start" : at === runs.length - 1 ? "end" : "middle"}>
            {runs[at]?.label}
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
