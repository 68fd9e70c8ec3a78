// The pane at the right of a view: what is selected, with all that is known of it. It can be closed.
import type { ReactNode } from "react";
import { useDeviceWork, useTable } from "../api/queries";
import type { Params } from "../api/client";
import { cellNode, cellTitle, headText } from "../table/cells";
import { sayingFacts } from "../table/columns";
import { definitionOf } from "./definitions";
import { rowsOf, type Row } from "../table/row";
import { Icon } from "./Icon";
import { Answered } from "./states";

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

export interface Identity {
  keys: readonly string[]; // columns that tell rows apart
}

const PART = "~";

export const identify = (row: Row, keys: readonly string[]): string => keys.map((key) => row.text(key) ?? "").join(PART);

export function filtersOf(keys: readonly string[], selected: string): string[] {
  const values = selected.split(PART);
  return keys.flatMap((key, at) => (values[at] ? [`${key}:eq:${values[at]}`] : []));
}

// All columns of one row, asked for by what identifies it: it need not be on the page of the table in sight.
export function RowDetails({
  table,
  params,
  keys,
  selected,
  title,
  onClose,
  actions,
  more,
}: {
  table: string;
  params?: Params | undefined;
  keys: readonly string[];
  selected: string;
  title: (row: Row) => string;
  onClose: () => void;
  actions?: ((row: Row) => ReactNode) | undefined;
  more?: ((row: Row) => ReactNode) | undefined; // above the columns
}) {
  const gpu = useDeviceWork();
  const answer = useTable(table, { ...params, filter: filtersOf(keys, selected), page_size: 1 });
  const row = answer.data && rowsOf(answer.data)[0];
  return (
    <Pane title={row ? title(row) : "Details"} onClose={onClose}>
      <Answered answer={answer} what="the details">
        {(data) =>
          row ? (
            <>
              {actions && <div className="details-actions">{actions(row)}</div>}
              {more?.(row)}
              <dl className="facts">
                {sayingFacts(data.columns, gpu, (key) => row.get(key)).map((column) => (
                  <div key={column.key}>
                    <dt title={definitionOf(table, column)}>{headText(column)}</dt>
                    <dd data-key={column.key} title={cellTitle(column, row.get(column.key))}>{cellNode(column, row.get(column.key))}</dd>
                  </div>
                ))}
              </dl>
            </>
          ) : (
            <p className="hint">What was selected is not in this range.</p>
          )
        }
      </Answered>
    </Pane>
  );
}
