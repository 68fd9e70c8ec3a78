// The pane at the right of a view: what is selected. It can be closed.
import type { ReactNode } from "react";
import { Icon } from "./Icon";

export function Pane({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  return (
    <aside
      className="details"
      aria-label="Details"
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      <header>
        <h2>{title}</h2>
        <button className="icon-button" onClick={onClose} aria-label="Close details">
          <Icon name="close" />
        </button>
      </header>
      <div className="details-body">{children}</div>
    </aside>
  );
}
