// Rank by iteration, coloured by one of the durations of the table. By pointer or keys: a cell tells its value, and leads
// to that iteration in the timeline.
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { linkTo } from "../../address/route";
import { useRoute, useSetParams } from "../../address/useRoute";
import { useWholeTable } from "../../api/queries";
import { exactValue, formatNs } from "../../widgets/format";
import { Answered } from "../../widgets/states";
import { useWidth } from "../../widgets/useWidth";
import { colorAt, heatOf, measures, moved, withoutUnit, type Heat } from "./heat";

const LEFT = 108;
const TOP = 4;
const BOTTOM = 20;
const MOST_HEIGHT = 26; // of a rank's row
const FIRST_MEASURE = "waiting_ns";

const rowHeight = (ranks: number): number => Math.max(7, Math.min(MOST_HEIGHT, Math.floor(420 / Math.max(ranks, 1))));

function paint(canvas: HTMLCanvasElement, heat: Heat, width: number, height: number): void {
  const scale = Math.min(window.devicePixelRatio || 1, 3);
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * heat.ranks.length * scale);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(scale, scale);
  const wide = width / Math.max(heat.iterations.length, 1);
  const column = new Map(heat.iterations.map((iteration, at) => [iteration, at]));
  const row = new Map(heat.ranks.map(({ rank }, at) => [rank, at]));
  const gap = wide > 6 ? 1 : 0;
  for (const cell of heat.cells) {
    context.fillStyle = colorAt(heat.most > 0 ? cell.value / heat.most : 0);
    context.fillRect((column.get(cell.iteration) ?? 0) * wide, (row.get(cell.rank) ?? 0) * height, Math.max(wide - gap, 1), height - 1);
  }
}

function Scale({ most, name }: { most: number; name: string }) {
  const stops = [0, 0.2, 0.4, 0.6, 0.8, 1].map((part) => `${colorAt(part)} ${String(part * 100)}%`).join(", ");
  return (
    <div className="heat-scale">
      <span>{name}: 0</span>
      <i style={{ background: `linear-gradient(to right, ${stops})` }} aria-hidden="true" />
      <span title={exactValue(most, "ns")}>{formatNs(most)}</span>
      <span className="heat-none">
        <i aria-hidden="true" /> not recorded
      </span>
    </div>
  );
}

// Ranks that have room for their names; the first of each host says it.
function Names({ heat, height }: { heat: Heat; height: number }) {
  const every = Math.ceil(14 / height);
  const hosts = new Set(heat.ranks.map((each) => each.host)).size;
  return (
    <div className="heat-names" aria-hidden="true">
      {heat.ranks.map(({ rank, host }, at) =>
        at % every === 0 ? (
          <span key={rank} style={{ top: TOP + at * height, height: Math.max(height, 14) }} title={host ? `rank ${String(rank)} on ${host}` : undefined}>
            Rank {rank}
            {hosts > 1 && host && <small>{`\u00a0${host}`}</small>}
          </span>
        ) : null,
      )}
    </div>
  );
}

function Picture({ heat, name }: { heat: Heat; name: string }) {
  const { params } = useRoute();
  const [holder, all] = useWidth<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [cell, setCell] = useState<[number, number] | null>(null);
  const said = useId();
  const height = rowHeight(heat.ranks.length);
  const width = Math.max(all - LEFT, 50);
  useEffect(() => {
    if (canvas.current && all > 0) paint(canvas.current, heat, width, height);
  }, [heat, width, height, all]);
  const [rows, columns] = [heat.ranks.length, heat.iterations.length];
  const wide = width / Math.max(columns, 1);
  const found = cell && heat.at(cell[0], cell[1]);
  const open = (at: readonly [number, number]) => {
    const to = heat.at(at[0], at[1]);
    if (to && to.begin !== null && to.end !== null) window.location.hash = linkTo("timeline", params, { begin: to.begin, end: to.end });
  };
  const under = (event: React.PointerEvent | React.MouseEvent): [number, number] | null => {
    const box = canvas.current?.getBoundingClientRect();
    if (!box) return null;
    const at: [number, number] = [Math.floor((event.clientY - box.top) / height), Math.floor((event.clientX - box.left) / wide)];
    return at[0] >= 0 && at[0] < rows && at[1] >= 0 && at[1] < columns ? at : null;
  };
  const place = cell && `Rank ${String(heat.ranks[cell[0]]?.rank)}, iteration ${String(heat.iterations[cell[1]])}`;
  return (
    <div className="heat" ref={holder}>
      <div
        className="heat-picture"
        role="group"
        tabIndex={0}
        aria-label={`${name} of ${String(rows)} ranks in ${String(columns)} iterations. Arrow keys go from cell to cell, Enter shows it in the timeline.`}
        aria-describedby={said}
        style={{ height: TOP + rows * height + BOTTOM }}
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          if (event.key === "Enter" && cell) open(cell);
          const next = moved(cell ?? [0, 0], event.key, rows, columns);
          if (!next && event.key !== "Enter") return;
          event.preventDefault();
          if (next) setCell(next);
        }}
        onFocus={() => {
          if (!cell) setCell([0, 0]);
        }}
        onPointerMove={(event) => {
          setCell(under(event));
        }}
        onClick={(event) => {
          const at = under(event);
          if (at) open(at);
        }}
      >
        <Names heat={heat} height={height} />
        <canvas ref={canvas} style={{ left: LEFT, top: TOP, width, height: rows * height }} aria-hidden="true" />
        {cell && <span className="heat-cursor" style={{ left: LEFT + cell[1] * wide, top: TOP + cell[0] * height, width: Math.max(wide, 3), height }} aria-hidden="true" />}
        <span className="heat-first" style={{ left: LEFT }} aria-hidden="true">
          iteration {heat.iterations[0]}
        </span>
        <span className="heat-last" aria-hidden="true">
          {columns > 1 && heat.iterations.at(-1)}
        </span>
      </div>
      <p id={said} className="heat-said" role="status">
        {place ? `${place}: ${found ? formatNs(found.value) : "not recorded"}` : "Point at a cell, or go to it with the arrow keys; Enter or a click shows it in the timeline."}
      </p>
    </div>
  );
}

// A cell for each rank and iteration of the range.
export function HeatMap() {
  const { params } = useRoute();
  const setParams = useSetParams();
  return (
    <Answered answer={useWholeTable("rank_iterations")} what="the iterations of ranks" rows={6}>
      {(table) => <Measured table={table} wanted={params.get("measure")} choose={(measure) => { setParams({ measure }, { replace: true }); }} />}
    </Answered>
  );
}

function Measured({ table, wanted, choose }: { table: Parameters<typeof heatOf>[0]; wanted: string | null; choose: (measure: string) => void }) {
  const columns = measures(table.columns);
  const column = useMemo(() => {
    const all = measures(table.columns);
    // What no rank has is not looked at first.
    const told = all.filter((each) => heatOf(table, each.key).most > 0);
    return all.find((each) => each.key === wanted) ?? told.find((each) => each.key === FIRST_MEASURE) ?? told[0] ?? all[0];
  }, [table, wanted]);
  const heat = useMemo(() => (column ? heatOf(table, column.key) : null), [table, column]);
  if (!column || !heat || heat.iterations.length === 0) return <p className="quiet">The ranks have no iterations in this range.</p>;
  return (
    <>
      <div className="heat-head">
        <label className="inline-label">
          Colour by
          <select
            value={column.key}
            title={column.description}
            onChange={(event) => {
              choose(event.target.value);
            }}
          >
            {columns.map((each) => (
              <option key={each.key} value={each.key}>
                {withoutUnit(each.header)}
              </option>
            ))}
          </select>
        </label>
        <Scale most={heat.most} name={withoutUnit(column.header)} />
      </div>
      {heat.cells.length === 0 ? <p className="quiet">No rank has a value of it in this range.</p> : <Picture heat={heat} name={withoutUnit(column.header)} />}
    </>
  );
}
