// The laid out graph: moved by dragging and arrow keys, sized by wheel, + and -, 0 shows all of it.
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import type { ModelItem } from "../../api/types";
import { useWidth } from "../../widgets/useWidth";
import { carried, centred, fillOf, fitted, opening, HEAD, subtitle, zoomed, type Box, type Colour, type Drawing, type Most, type View } from "./graph";

const LOWEST = 320;
const ABOVE = 200; // what the page shows over the picture, and its margin below
const heightNow = () => Math.max(LOWEST, window.innerHeight - ABOVE);
const STEP = 60;
const ZOOM = 1.25;

export interface Shown {
  colour: Colour;
  most: Most;
  gpu: boolean;
  selected: string | null;
  select: (item: ModelItem) => void;
  toggle: (item: ModelItem) => void;
}

function Item({ box, shown }: { box: Box; shown: Shown }) {
  const { item } = box;
  const fill = item.open ? "open" : fillOf(item, shown.colour, shown.most, shown.gpu);
  return (
    <g
      className={`model-box ${fill}${item.id === shown.selected ? " selected" : ""}`}
      transform={`translate(${String(box.x)} ${String(box.y)})`}
      role="button"
      tabIndex={0}
      {...(item.group ? { "aria-expanded": item.open } : {})}
      onClick={() => {
        shown.select(item);
      }}
      onDoubleClick={() => {
        if (item.group) shown.toggle(item);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") shown.select(item);
        else if (event.key === " " && item.group) shown.toggle(item);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <title>{`${item.label}, ${subtitle(item, shown.gpu)}${item.name ? `\n${item.name}` : ""}`}</title>
      <rect width={box.width} height={box.height} rx="5" />
      <text x="10" y={item.open ? 20 : 19} className="strong">
        {item.label.length > 34 ? `${item.label.slice(0, 33)}…` : item.label}
      </text>
      {!item.open && (
        <text x="10" y="35">
          {subtitle(item, shown.gpu)}
        </text>
      )}
      {item.group && (
        <g
          className="model-toggle"
          transform={`translate(${String(box.width - 24)} 6)`}
          onClick={(event) => {
            event.stopPropagation();
            shown.toggle(item);
          }}
        >
          <rect width="18" height={HEAD - 12} rx="3" />
          <path d={item.open ? "M5 9h8" : "M5 9h8M9 5v8"} />
        </g>
      )}
    </g>
  );
}

// As high as the window has room for.
function useHeight(): number {
  const [height, setHeight] = useState(heightNow);
  useEffect(() => {
    const follow = () => {
      setHeight(heightNow());
    };
    window.addEventListener("resize", follow);
    return () => {
      window.removeEventListener("resize", follow);
    };
  }, []);
  return height;
}

function useView(drawing: Drawing, width: number, height: number) {
  const [moved, setMoved] = useState<View | null>(null);
  const [whole, setWhole] = useState(false);
  const view = moved ?? (whole ? fitted : opening)(drawing, width, height);
  const latest = useRef(view);
  const last = useRef(drawing);
  useLayoutEffect(() => {
    const kept = carried(last.current, drawing, latest.current);
    last.current = drawing;
    latest.current = kept ?? view;
    if (kept) setMoved(kept);
  }, [drawing, view]);
  const change = (next: (view: View) => View) => {
    latest.current = next(latest.current);
    setMoved(latest.current);
  };
  const fit = () => {
    setMoved(null);
    setWhole(true);
  };
  return { view, change, fit };
}

export function Picture({ drawing, shown }: { drawing: Drawing; shown: Shown }) {
  const [holder, width] = useWidth<HTMLDivElement>();
  const height = useHeight();
  const { view, change, fit } = useView(drawing, width, height);
  const chosen = drawing.boxes.find((box) => box.item.id === shown.selected);
  const revealed = useRef<string | null>(null);
  useEffect(() => {
    const now = chosen && width > 0 ? chosen : null;
    if ((now?.item.id ?? null) === revealed.current) return;
    revealed.current = now?.item.id ?? null;
    const there = now && centred(now, view, width, height);
    if (there) change(() => there);
  });
  const canvas = useRef<SVGSVGElement>(null);
  const drag = useRef<{ x: number; y: number } | null>(null);
  useEffect(() => {
    const svg = canvas.current;
    const turn = (event: WheelEvent) => {
      event.preventDefault();
      const corner = svg?.getBoundingClientRect();
      const at = { x: event.clientX - (corner?.left ?? 0), y: event.clientY - (corner?.top ?? 0) };
      change((now) => zoomed(now, Math.exp(-event.deltaY / 400), at));
    };
    // React's own listener could not keep the page from scrolling.
    svg?.addEventListener("wheel", turn, { passive: false });
    return () => svg?.removeEventListener("wheel", turn);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowLeft: [STEP, 0], ArrowRight: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] }[event.key];
    const centre = { x: width / 2, y: height / 2 };
    if (move) change((now) => ({ ...now, x: now.x + (move[0] ?? 0), y: now.y + (move[1] ?? 0) }));
    else if (event.key === "+" || event.key === "=") change((now) => zoomed(now, ZOOM, centre));
    else if (event.key === "-") change((now) => zoomed(now, 1 / ZOOM, centre));
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="model-canvas" ref={holder}>
      <svg
        ref={canvas}
        width="100%"
        height={height}
        role="group"
        aria-label="Graph of the model. Enter selects, the space bar opens and closes a group; arrow keys move, + and - zoom, 0 shows all"
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          if (event.button === 0) drag.current = { x: event.clientX, y: event.clientY };
        }}
        onPointerMove={(event) => {
          const from = drag.current;
          if (!from || (event.buttons & 1) === 0) return;
          drag.current = { x: event.clientX, y: event.clientY };
          change((now) => ({ ...now, x: now.x + event.clientX - from.x, y: now.y + event.clientY - from.y }));
        }}
        onPointerUp={() => {
          drag.current = null;
        }}
      >
        <g transform={`translate(${String(view.x)} ${String(view.y)}) scale(${String(view.scale)})`}>
          {drawing.boxes.filter((box) => box.item.open).map((box) => <Item key={box.item.id} box={box} shown={shown} />)}
          {drawing.lines.map((line) => <path key={line.id} className="model-line" d={line.path} />)}
          {drawing.boxes.filter((box) => !box.item.open).map((box) => <Item key={box.item.id} box={box} shown={shown} />)}
        </g>
      </svg>
      <div className="model-zoom">
        <button type="button" className="button small" onClick={() => { change((now) => zoomed(now, ZOOM, { x: width / 2, y: height / 2 })); }} aria-label="Zoom in">+</button>
        <button type="button" className="button small" onClick={() => { change((now) => zoomed(now, 1 / ZOOM, { x: width / 2, y: height / 2 })); }} aria-label="Zoom out">−</button>
        <button type="button" className="button small" onClick={fit}>All of it</button>
      </div>
    </div>
  );
}
