// One entry of a legend, which hides what it names or shows it again.
import type { ReactNode } from "react";
import { useHidden } from "../app/useHidden";

export function LegendItem({ id, name, zero = false, children }: { id: string; name: string; zero?: boolean; children?: ReactNode }) {
  const [hidden, toggle] = useHidden();
  return (
    <li className={zero ? "zero" : undefined}>
      <button
        type="button"
        className="legend-item"
        aria-pressed={!hidden.has(id)}
        title={hidden.has(id) ? `Show ${name} again` : `Hide ${name}`}
        onClick={() => {
          toggle(id);
        }}
      >
        <i className={`swatch c-${id}`} />
        <span>{name}</span>
      </button>
      {children}
    </li>
  );
}
