// Names of the rows at the left, with buttons that open and close them.
import type { Ref } from "react";
import { Icon } from "../widgets/Icon";
import type { Controller, Snapshot } from "./controller";

export function Heads({ controller, state, ref }: { controller: Controller; state: Snapshot; ref: Ref<HTMLUListElement> }) {
  const rows = state.layout.rows.slice(state.first, state.last);
  return (
    <ul ref={ref} className="tl-rows" aria-label="Rows of the timeline">
      {rows.map((row) => (
        <li
          key={row.key}
          className={row.type === "group" ? "tl-row group" : "tl-row"}
          style={{ top: row.y, height: row.height, paddingInlineStart: 6 + row.level * 12 }}
        >
          {row.foldable ? (
            <button
              aria-expanded={row.open}
              aria-label={`${row.open ? "Close" : "Open"} ${row.title} ${row.note}`}
              onClick={() => {
                controller.toggle(row.key);
              }}
            >
              <Icon name={row.open ? "down" : "right"} size={12} />
            </button>
          ) : (
            <span className="fold-space" />
          )}
          <span className="title" title={row.title}>
            {row.title}
          </span>
          {row.note && (
            <span className="note" title={row.note}>
              {row.note}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
