// Content, and details at its right whose width one can choose: by dragging the border, or with arrow keys on it.
import { useState, type ReactNode } from "react";
import { readKept, writeKept } from "./kept";

const LEAST = 240;
const MOST = 900;
const STEP = 24;
const FIRST = 340;

const within = (width: number): number => Math.round(Math.max(LEAST, Math.min(MOST, width)));

function useDetailsWidth(): [number, (width: number) => void] {
  const [width, setWidth] = useState(() => {
    const kept = readKept("details");
    return typeof kept === "number" ? within(kept) : FIRST;
  });
  return [
    width,
    (next) => {
      setWidth(within(next));
      writeKept("details", within(next));
    },
  ];
}

function Border({ width, setWidth }: { width: number; setWidth: (width: number) => void }) {
  return (
    <div
      className="pane-border"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the details"
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      aria-valuenow={width}
      tabIndex={0}
      title="Drag, or ← and →: width of the details"
      onKeyDown={(event) => {
        const by = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        setWidth(width + by);
      }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const right = event.currentTarget.parentElement?.getBoundingClientRect().right ?? 0;
        setWidth(right - event.clientX);
      }}
      onDoubleClick={() => {
        setWidth(FIRST);
      }}
    />
  );
}

// `details`: the pane, or nothing while it is closed.
export function Panes({ details, children, className = "panes" }: { details: ReactNode; children: ReactNode; className?: string }) {
  const [width, setWidth] = useDetailsWidth();
  return (
    <div className={details ? `${className} open` : className} style={details ? { ["--details" as string]: `${String(width)}px` } : undefined}>
      <div className="pane-main">{children}</div>
      {details && (
        <div className="pane-side">
          <Border width={width} setWidth={setWidth} />
          {details}
        </div>
      )}
    </div>
  );
}
