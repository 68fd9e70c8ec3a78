// One entry of a legend, which hides what it names or shows it again.
import type { ReactNode } from "react";
import { useHidden } from "../address/useHidden";

export function LegendButton({ id, name, swatch }: { id: string; name: string; swatch: ReactNode }) {
  const [hidden, toggle] = useHidden();
  return (
    <button
      type="button"
      className="legend-item"
      aria-pressed={!hidden.has(id)}
      title={hidden.has(id) ? `Show ${name} again` : `Hide ${name}`}
      onClick={() => {
        toggle(id);
      }}
    >
      {swatch}
      <span>{name}</span>
    </button>
  );
}

// `color`: the class of its colour, where that is not the name of the part.
export function LegendItem({ id, name, color = id, zero = false, children }: { id: string; name: string; color?: string; zero?: boolean; children?: ReactNode }) {
  return (
    <li className={zero ? "zero" : undefined}>
      <LegendButton id={id} name={name} swatch={<i className={`swatch c-${color}`} />} />
      {children}
    </li>
  );
}
