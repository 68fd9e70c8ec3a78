import { useEffect, useId, useLayoutEffect, useRef, useState, type ReactNode } from "react";

// A button with a panel below it: closes on Escape, on a click elsewhere, and when focus leaves.
export function Popover({
  label,
  title,
  className = "button",
  align = "start",
  children,
}: {
  label: ReactNode;
  title: string;
  className?: string;
  align?: "start" | "end";
  children: (close: () => void) => ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useId();
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  // Beside a border of the window the panel moves until all of it can be seen.
  useLayoutEffect(() => {
    const shown = open ? root.current?.querySelector<HTMLElement>(".popover") : null;
    if (!shown) return;
    const frame = shown.closest("main")?.getBoundingClientRect();
    const box = shown.getBoundingClientRect();
    const least = (frame?.left ?? 0) + 8;
    const most = (frame?.right ?? window.innerWidth) - 8;
    const shift = box.left < least ? least - box.left : Math.min(0, most - box.right);
    shown.style.transform = `translateX(${String(shift)}px)`;
  }, [open]);
  useEffect(() => {
    if (!open) return undefined;
    const outside = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("focusin", outside);
    root.current?.querySelector<HTMLElement>(".popover :is(input, select, a, button)")?.focus();
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("focusin", outside);
    };
  }, [open]);
  return (
    <div
      className="popover-root"
      ref={root}
      onKeyDown={(event) => {
        if (event.key === "Escape" && open) {
          event.stopPropagation();
          close();
        }
      }}
    >
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={title}
        title={title}
        aria-expanded={open}
        aria-controls={open ? panel : undefined}
        onClick={() => {
          setOpen(!open);
        }}
      >
        {label}
      </button>
      {open && (
        <div className={`popover ${align}`} id={panel} role="group" aria-label={title}>
          {children(close)}
        </div>
      )}
    </div>
  );
}
