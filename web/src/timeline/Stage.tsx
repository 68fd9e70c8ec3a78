// The picture: canvases, and what pointer and keys do to them.
import { useEffect, useRef, useSyncExternalStore } from "react";
import { nsPerPixel, timeAt } from "../engine/viewport";
import { formatCount, formatNs } from "../widgets/format";
import { useTheme } from "../widgets/theme";
import { isTyping } from "../widgets/typing";
import type { Controller } from "./controller";
import type { Hover } from "./hover";
import { Heads } from "./Heads";
import { MINIMAP_HEIGHT } from "./minimap";
import type { Direction } from "./neighbors";
import { RULER_HEIGHT } from "./paint";

const STEPS: Record<string, Direction> = { ArrowRight: "next", ArrowLeft: "previous", ArrowUp: "parent", ArrowDown: "child" };
const HELD = new Set(["w", "a", "s", "d"]);
const CLICK = 4; // pixels that a click may move

// One key; false: it means nothing here.
function pressed(controller: Controller, key: string): boolean {
  const step = STEPS[key];
  if (step) void controller.step(step);
  else if (HELD.has(key)) controller.hold(key);
  else if (key === "+" || key === "=") controller.zoom(0.5, undefined, true);
  else if (key === "-") controller.zoom(2, undefined, true);
  else if (key === "f") controller.zoomToSelected();
  else if (key === "0") controller.fit();
  else if (key === "PageDown") controller.scrollBy(300);
  else if (key === "PageUp") controller.scrollBy(-300);
  else if (key === "Escape") {
    if (controller.range) controller.setRange(null);
    else controller.select(null);
  } else return false;
  return true;
}

function wheel(controller: Controller, event: WheelEvent, x: number, y: number): void {
  const unit = event.deltaMode === 1 ? 32 : event.deltaMode === 2 ? 400 : 1;
  const dx = event.deltaX * unit;
  const dy = event.deltaY * unit;
  if (event.shiftKey) controller.pan(dx || dy);
  else if (event.ctrlKey || event.metaKey || y < MINIMAP_HEIGHT + RULER_HEIGHT || !controller.scrollable) {
    if (Math.abs(dx) > Math.abs(dy)) controller.pan(dx);
    else controller.zoom(Math.exp(Math.max(-1, Math.min(dy * 0.0022, 1))), x);
  } else {
    if (dx) controller.pan(dx);
    controller.scrollBy(dy);
  }
}

type Drag =
  | { what: "pan"; x: number; y: number; moved: boolean }
  | { what: "range"; from: number; moved: boolean; x: number }
  | { what: "minimap" };

// Attaches pointer, wheel and keys; gives back how to let go.
function interact(controller: Controller, stage: HTMLElement): () => void {
  let drag: Drag | null = null;
  const off = new AbortController();
  const options = { signal: off.signal };
  const place = (event: MouseEvent): { x: number; y: number } => {
    const box = stage.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const toMinimap = (x: number) => {
    const { begin, end } = controller.bounds;
    const { view } = controller;
    const middle = begin + (x / view.width) * (end - begin);
    const half = (view.end - view.begin) / 2;
    controller.show({ begin: middle - half, end: middle + half, width: view.width });
  };
  const mark = (name: string, on: boolean) => stage.classList.toggle(name, on);

  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    controller.setHover(null);
    const { x, y } = place(event);
    wheel(controller, event, x, y);
  }, { ...options, passive: false });

  stage.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const { x, y } = place(event);
    stage.setPointerCapture(event.pointerId);
    if (y < MINIMAP_HEIGHT) {
      drag = { what: "minimap" };
      toMinimap(x);
    } else if (event.shiftKey || y < MINIMAP_HEIGHT + RULER_HEIGHT) {
      drag = { what: "range", from: timeAt(controller.view, x), moved: false, x };
      mark("ranging", true);
    } else drag = { what: "pan", x, y, moved: false };
  }, options);

  stage.addEventListener("pointermove", (event) => {
    const { x, y } = place(event);
    if (!drag) {
      const hover = y < MINIMAP_HEIGHT ? null : controller.hit(x, y - MINIMAP_HEIGHT);
      controller.setHover(hover);
      mark("over", hover !== null);
    } else if (drag.what === "minimap") toMinimap(x);
    else if (drag.what === "range") {
      const to = timeAt(controller.view, x);
      drag.moved ||= Math.abs(x - drag.x) >= CLICK;
      if (drag.moved) controller.setRange({ begin: Math.min(drag.from, to), end: Math.max(drag.from, to) });
    } else {
      if (!drag.moved && Math.hypot(x - drag.x, y - drag.y) < CLICK) return;
      drag.moved = true;
      mark("panning", true);
      controller.setHover(null);
      controller.pan(drag.x - x);
      controller.scrollBy(drag.y - y);
      drag.x = x;
      drag.y = y;
    }
  }, options);

  const release = (event: PointerEvent) => {
    const { x, y } = place(event);
    if (drag?.what === "pan" && !drag.moved) {
      const hit = controller.hit(x, y - MINIMAP_HEIGHT);
      controller.select(hit);
    }
    if (drag?.what === "range" && !drag.moved) controller.setRange(null);
    drag = null;
    mark("panning", false);
    mark("ranging", false);
  };
  stage.addEventListener("pointerup", release, options);
  stage.addEventListener("pointercancel", () => {
    drag = null;
    controller.setHover(null);
  }, options);
  stage.addEventListener("pointerleave", () => {
    controller.setHover(null);
  }, options);
  stage.addEventListener("dblclick", (event) => {
    const { x, y } = place(event);
    const hit = y < MINIMAP_HEIGHT ? null : controller.hit(x, y - MINIMAP_HEIGHT);
    if (hit) controller.show({ begin: hit.begin_ns - hit.dur_ns, end: hit.begin_ns + 2 * hit.dur_ns, width: controller.view.width }, true);
  }, options);

  // Letters work wherever no text is typed; keys that mean something elsewhere, such as arrows, where nothing else is
  // in use.
  window.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(target)) return;
    if (document.querySelector("dialog[open]")) return;
    const free = target === document.body || (target instanceof HTMLElement && (target.tagName === "MAIN" || stage.contains(target)));
    if (event.key.length > 1 && !free) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!pressed(controller, key)) return;
    controller.setHover(null);
    event.preventDefault();
  }, options);
  window.addEventListener("keyup", (event) => {
    controller.release(event.key.toLowerCase());
  }, options);
  const released = () => {
    controller.releaseKeys();
  };
  window.addEventListener("blur", released, options);
  stage.addEventListener("blur", released, options);
  return () => {
    off.abort();
  };
}

function Tip({ hover, controller }: { hover: Hover; controller: Controller }) {
  const { width } = controller.view;
  const right = hover.x > width * 0.6;
  const below = hover.y + MINIMAP_HEIGHT + 18;
  const side = right ? { right: width - hover.x + 10 } : { left: hover.x + 14 };
  return (
    <div className="tl-tip" style={{ top: below, ...side }} aria-hidden="true">
      <b>{hover.name}</b>
      {hover.count > 1 ? (
        <span>
          and {formatCount(hover.count - 1)} more in {formatNs(hover.dur_ns)}, busy {formatNs(hover.busy_ns)}
        </span>
      ) : (
        <span>{formatNs(hover.dur_ns)}</span>
      )}
    </div>
  );
}

// `label`: where a view has several.
export function Stage({ controller, label = "Timeline" }: { controller: Controller; label?: string }) {
  const stage = useRef<HTMLDivElement>(null);
  const bars = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const minimap = useRef<HTMLCanvasElement>(null);
  const heads = useRef<HTMLUListElement>(null);
  const shown = useRef<HTMLSpanElement>(null);
  const [theme] = useTheme();
  const state = useSyncExternalStore(controller.subscribe, controller.snapshot);
  useEffect(() => {
    const all = { stage: stage.current, bars: bars.current, over: over.current, minimap: minimap.current };
    if (!all.stage || !all.bars || !all.over || !all.minimap || !heads.current || !shown.current) return;
    const detach = controller.attach({
      stage: all.stage,
      bars: all.bars,
      over: all.over,
      minimap: all.minimap,
      heads: heads.current,
      shown: shown.current,
    });
    const release = interact(controller, all.stage);
    return () => {
      release();
      detach();
    };
  }, [controller]);
  useEffect(() => {
    controller.themeChanged();
  }, [controller, theme]);
  const said = state.selected?.name
    ? `${state.selected.name}, ${state.selected.kind.replaceAll("_", " ")}, ${formatNs(state.selected.dur_ns)}, at ${formatNs(state.selected.begin_ns)}`
    : "";
  return (
    <div className="tl-frame">
      <div className="tl-heads">
        <div className="tl-corner" style={{ height: MINIMAP_HEIGHT + RULER_HEIGHT }}>
          <span>Busy share of {controller.overviewKind}</span>
          <span ref={shown} />
        </div>
        <Heads ref={heads} controller={controller} state={state} />
      </div>
      <div
        ref={stage}
        className="tl-stage"
        tabIndex={0}
        role="application"
        aria-label={`${label}. Arrow keys go from event to event, w and s zoom, a and d move, Escape clears.`}
        data-ns-per-pixel={nsPerPixel(controller.view)}
      >
        <canvas ref={minimap} style={{ top: 0 }} />
        <canvas ref={bars} style={{ top: MINIMAP_HEIGHT + RULER_HEIGHT }} />
        <canvas ref={over} style={{ top: MINIMAP_HEIGHT }} />
        {state.loading && <div className="tl-busy" aria-hidden="true" />}
        {state.hover && <Tip hover={state.hover} controller={controller} />}
        {state.problem && (
          <div className="tl-message" role="alert">
            {state.problem}{" "}
            <button
              className="link"
              onClick={() => {
                controller.retry();
              }}
            >
              Try again
            </button>
          </div>
        )}
      </div>
      <div className="sr-only" aria-live="polite">
        {said}
      </div>
    </div>
  );
}
