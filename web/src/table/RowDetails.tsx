import type { ReactNode } from "react";
import type { Params } from "../api/client";
import { useDeviceWork, useTable } from "../api/queries";
import { Pane } from "../widgets/Pane";
import { Answered, Loading } from "../widgets/states";
import { cellNode, cellTitle, headText } from "./cells";
import { sayingFacts } from "./columns";
import { filtersOf, rowsOf, type Row } from "./row";

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
                    <dt title={column.description}>{headText(column)}</dt>
                    <dd data-key={column.key} title={cellTitle(column, row.get(column.key))}>{cellNode(column, row.get(column.key))}</dd>
                  </div>
                ))}
              </dl>
            </>
          ) : answer.isPlaceholderData ? (
            <Loading what="the details" />
          ) : (
            <p className="hint">What was selected, “{selected}”, is not in this range of this profile.</p>
          )
        }
      </Answered>
    </Pane>
  );
}
