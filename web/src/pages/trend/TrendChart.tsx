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
const BOTTOM = 40;

function marginOf(values: readonly number[]): number {
  return Math.max(1, (Math.max(...values) - Math.min(...values)) / 10);
}

// Where the axis begins, in ns.
export function axisFrom(runs: readonly RunPoint[]): number {
  const values = runs.map((run) => run.ns);
  return Math.max(0, Math.min(...values) - marginOf(values));
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
        <text className="axis-text" x={LEFT} y={TOP + HEIGHT + 18}>
          run 1
        </text>
        <text className="axis-text" x={LEFT + room} y={TOP + HEIGHT + 18} textAnchor="end">
          run {runs.length}
        </text>
      </svg>
    </div>
  );
}
