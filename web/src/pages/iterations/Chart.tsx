// Iterations as stacked bars. The range is chosen by dragging its two bounds, or by the arrow keys on them.
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";
import { useHidden } from "../../address/useHidden";
import { SHARES, type IterationShares, type Range } from "../../api/types";
import { exactValue, formatNs } from "../../widgets/format";
import { LegendItem } from "../../widgets/LegendItem";
import { useDeviceWords } from "../../widgets/deviceWords";
import { ticks } from "../../widgets/ticks";
import { useWidth } from "../../widgets/useWidth";
import { barWidth, indexAt, inSight, mostIn, panned, SHARE_NAMES, sharePaths, without, xOf, zoomed, type Box, type View } from "./bars";

export interface Bounds {
  start: number;
  stop: number;
}

export const boundsOf = (range: Range): Bounds | null =>
  range.whole && range.total > 0
    ? { start: 0, stop: range.total - 1 }
    : range.start === null || range.stop === null
      ? null
      : { start: range.start, stop: range.stop };

interface Props {
  list: readonly IterationShares[]; // of one rank, in order
  height: number;
  bounds: Bounds | null;
  onBounds?: (bounds: Bounds) => void;
}

const MARGIN = { left: 58, right: 8, top: 10, bottom: 24 };

function Tip({ bar, x, width }: { bar: IterationShares; x: number; width: number }) {
  const say = useDeviceWords();
  const side = x > width / 2 ? { right: `${String(Math.round(width - x + 14))}px` } : { left: `${String(Math.round(x + 14))}px` };
  return (
    <div className="tip" style={side}>
      <b>
        Iteration {bar.iteration}
        {bar.warm_up && <span className="badge warn">warm-up</span>}
      </b>
      <dl>
        {SHARES.map((share) => (
          <div key={share}>
            <dt>
              <i className={`swatch c-${share}`} /> {say(SHARE_NAMES[share])}
            </dt>
            <dd title={exactValue(bar.shares_ns[share], "ns")}>{formatNs(bar.shares_ns[share])}</dd>
          </div>
        ))}
        <div className="whole">
          <dt>Whole</dt>
          <dd>{formatNs(bar.dur_ns)}</dd>
        </div>
      </dl>
    </div>
  );
}

function Axis({ list, view, box, most }: { list: readonly IterationShares[]; view: View; box: Box; most: number }) {
  const [first, last] = inSight(view, list.length);
  const every = Math.max(1, Math.ceil(46 / barWidth(view, box)));
  const labels: ReactNode[] = [];
  for (let at = first; at < last; at++) {
    const bar = list[at];
    const middle = xOf(at + 0.5, view, box);
    if (!bar || bar.iteration % every !== 0 || middle < box.left || middle > box.left + box.width) continue;
    labels.push(
      <text key={at} className="axis-text middle" x={middle} y={box.top + box.height + 16}>
        {bar.iteration}
      </text>,
    );
  }
  return (
    <g aria-hidden="true">
      {ticks(most, Math.max(2, Math.floor(box.height / 44))).map((value) => {
        const y = box.top + box.height - (value / most) * box.height;
        return (
          <g key={value}>
            <line className="axis-line" x1={box.left} x2={box.left + box.width} y1={y} y2={y} />
            <text className="axis-text end" x={box.left - 8} y={y + 4}>
              {formatNs(value)}
            </text>
          </g>
        );
      })}
      {labels}
    </g>
  );
}

interface HandleProps {
  label: string;
  x: number;
  box: Box;
  value: number;
  least: number;
  most: number;
  move: (by: number) => void;
  grab: (event: PointerEvent) => void;
}

function Handle({ label, x, box, value, least, most, move, grab }: HandleProps) {
  const step: Record<string, number> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
  return (
    <g
      className="handle"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={least}
      aria-valuemax={most}
      onPointerDown={grab}
      onKeyDown={(event: KeyboardEvent) => {
        const by = step[event.key];
        if (by === undefined) return;
        event.preventDefault();
        move(by);
      }}
    >
      <line x1={x} x2={x} y1={box.top} y2={box.top + box.height} />
      <rect x={x - 5} y={box.top + box.height / 2 - 14} width="10" height="28" rx="4" />
    </g>
  );
}

interface Shown {
  from: number; // edge before the first chosen bar, as an index
  to: number;
}

function edges(list: readonly IterationShares[], bounds: Bounds | null): Shown | null {
  if (!bounds) return null;
  const from = list.findIndex((bar) => bar.iteration >= bounds.start);
  const after = list.findIndex((bar) => bar.iteration > bounds.stop);
  return from < 0 ? null : { from, to: after < 0 ? list.length : after };
}

function Selection({ props, view, box, svg }: { props: Props; view: View; box: Box; svg: () => SVGSVGElement | null }) {
  const { list, bounds, onBounds } = props;
  const shown = edges(list, bounds);
  if (!shown || !bounds) return null;
  const clamp = (x: number) => Math.max(box.left, Math.min(box.left + box.width, x));
  const left = clamp(xOf(shown.from, view, box));
  const right = clamp(xOf(shown.to, view, box));
  const set = (which: "start" | "stop", edge: number) => {
    const index = Math.round(edge) - (which === "stop" ? 1 : 0);
    const bar = list[Math.max(0, Math.min(list.length - 1, index))];
    if (!bar || !onBounds) return;
    // Dragged past the other bound, it stops there.
    onBounds(which === "start" ? { ...bounds, start: Math.min(bar.iteration, bounds.stop) } : { ...bounds, stop: Math.max(bar.iteration, bounds.start) });
  };
  const grab = (which: "start" | "stop") => (event: PointerEvent) => {
    const area = svg();
    if (!area) return;
    event.preventDefault();
    event.stopPropagation();
    const drag = (moved: globalThis.PointerEvent) => {
      set(which, indexAt(moved.clientX - area.getBoundingClientRect().left, view, box));
    };
    const drop = () => {
      window.removeEventListener("pointermove", drag);
      window.removeEventListener("pointerup", drop);
    };
    window.addEventListener("pointermove", drag);
    window.addEventListener("pointerup", drop);
  };
  const least = list[0]?.iteration ?? 0;
  const most = list[list.length - 1]?.iteration ?? 0;
  return (
    <>
      <rect className="outside" x={box.left} y={box.top} width={Math.max(0, left - box.left)} height={box.height} />
      <rect className="outside" x={right} y={box.top} width={Math.max(0, box.left + box.width - right)} height={box.height} />
      {onBounds && (
        <>
          <Handle
            label="First iteration"
            x={left}
            box={box}
            value={bounds.start}
            least={least}
            most={bounds.stop}
            move={(by) => {
              set("start", shown.from + by);
            }}
            grab={grab("start")}
          />
          <Handle
            label="Last iteration"
            x={right}
            box={box}
            value={bounds.stop}
            least={bounds.start}
            most={most}
            move={(by) => {
              set("stop", shown.to + by);
            }}
            grab={grab("stop")}
          />
        </>
      )}
    </>
  );
}

// The wheel zooms; it must not scroll the page as well, which React's own listener could not prevent.
function useWheel(ref: () => SVGSVGElement | null, wanted: boolean, act: (event: WheelEvent, x: number) => void) {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const area = ref();
    if (!area || !wanted) return undefined;
    const turned = (event: WheelEvent) => {
      event.preventDefault();
      latest.current(event, event.clientX - area.getBoundingClientRect().left);
    };
    area.addEventListener("wheel", turned, { passive: false });
    return () => {
      area.removeEventListener("wheel", turned);
    };
  }, [ref, wanted]);
}

export function IterationChart(props: Props) {
  const { height } = props;
  const [hidden] = useHidden();
  const list = useMemo(() => without(props.list, hidden), [props.list, hidden]);
  const [holder, width] = useWidth<HTMLDivElement>();
  const svg = useRef<SVGSVGElement>(null);
  const [chosenView, setView] = useState<View | null>(null);
  const [hover, setHover] = useState<{ index: number; x: number } | null>(null);
  const whole = { first: 0, last: Math.max(1, list.length) };
  const view = chosenView && chosenView.last <= list.length ? chosenView : whole;
  const box = { left: MARGIN.left, top: MARGIN.top, width: Math.max(10, width - MARGIN.left - MARGIN.right), height: height - MARGIN.top - MARGIN.bottom };
  const area = useRef(() => svg.current).current;
  const wheelable = props.onBounds !== undefined;
  useWheel(area, wheelable, (event, x) => {
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    if (sideways !== 0 && !event.ctrlKey) setView(panned(view, sideways / barWidth(view, box), list.length));
    else setView(zoomed(view, Math.exp(event.deltaY * 0.002), indexAt(x, view, box), list.length));
  });
  const most = mostIn(list, view);
  const paths = width > 0 ? sharePaths(list, view, box, most) : null;
  const bar = hover ? props.list[hover.index] : undefined;
  return (
    <div className="iteration-chart" ref={holder}>
      {wheelable && (
        <div className="chart-tools">
          <button
            type="button"
            className="button small"
            onClick={() => {
              setView(zoomed(view, 0.5, (view.first + view.last) / 2, list.length));
            }}
          >
            Zoom in
          </button>
          <button
            type="button"
            className="button small"
            disabled={view === whole}
            onClick={() => {
              setView(null);
            }}
          >
            All
          </button>
        </div>
      )}
      <svg
        ref={svg}
        width="100%"
        height={height}
        role="group"
        aria-label={`${String(list.length)} iterations as stacked bars`}
        onPointerMove={(event) => {
          const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
          const index = Math.floor(indexAt(x, view, box));
          setHover(index >= 0 && index < list.length && x >= box.left ? { index, x } : null);
        }}
        onPointerLeave={() => {
          setHover(null);
        }}
        onPointerCancel={() => {
          setHover(null);
        }}
      >
        {most > 0 && <Axis list={list} view={view} box={box} most={most} />}
        {paths && SHARES.map((share) => <path key={share} className={`fill c-${share}`} d={paths[share]} />)}
        {hover && <rect className="hovered" x={Math.max(box.left, xOf(hover.index, view, box))} y={box.top} width={barWidth(view, box)} height={box.height} />}
        <Selection props={props} view={view} box={box} svg={area} />
      </svg>
      {bar && hover && <Tip bar={bar} x={hover.x} width={width} />}
    </div>
  );
}

export function ShareLegend({ list }: { list: readonly IterationShares[] }) {
  const say = useDeviceWords();
  const there = SHARES.filter((share) => list.some((bar) => bar.shares_ns[share] > 0));
  return (
    <ul className="legend inline">
      {there.map((share) => (
        <LegendItem key={share} id={share} name={say(SHARE_NAMES[share])} />
      ))}
    </ul>
  );
}
