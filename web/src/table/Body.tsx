import type { Column } from "../api/types";
import { Bar } from "../widgets/charts";
import { cellNode, cellTitle, isNumeric, layerTail } from "./cells";
import type { TableProps } from "./DataTable";
import type { Row } from "./row";

// The greatest number of each column with bars: what its bars are drawn against.
function greatest(rows: readonly Row[], bars: TableProps["bars"]): Map<string, number> {
  return new Map(Object.keys(bars ?? {}).map((key) => [key, Math.max(0, ...rows.map((row) => row.number(key) ?? 0))]));
}

const LONG = /name|stack|shapes|dtypes|types|parameters|layer|help|source|path/;

function cellClass(column: Column, first: boolean): string | undefined {
  const classes = [isNumeric(column) && "number", first && "first", LONG.test(column.key) && "long"].filter(Boolean);
  return classes.length > 0 ? classes.join(" ") : undefined;
}

export function Body({ props, columns, rows }: { props: TableProps; columns: readonly Column[]; rows: readonly Row[] }) {
  const most = greatest(rows, props.bars);
  const { onSelect, selected } = props;
  const chosen = rows.some((row) => props.rowKey(row) === selected);
  return (
    <tbody>
      {rows.map((row, index) => {
        const key = props.rowKey(row);
        const isChosen = key === selected;
        const select = onSelect
          ? () => {
              onSelect(row, key);
            }
          : undefined;
        return (
          <tr
            key={`${key} ${String(index)}`}
            tabIndex={isChosen || (!chosen && index === 0) ? 0 : -1}
            aria-selected={onSelect ? isChosen : undefined}
            className={isChosen ? "selected" : undefined}
            onClick={select}
            onKeyDown={(event) => {
              if (event.key === "Enter" && event.target === event.currentTarget) select?.();
            }}
          >
            {columns.map((column, at) => {
              const cell = row.get(column.key);
              const href = props.link?.(row, column);
              const bar = props.bars?.[column.key];
              const node = column.key === "layer" && typeof cell === "string" ? layerTail(cell) : cellNode(column, cell);
              return (
                <td key={column.key} data-key={column.key} className={cellClass(column, at === 0)} title={cellTitle(column, cell)}>
                  {href ? (
                    <a
                      href={href}
                      onClick={(event) => {
                        event.stopPropagation();
                      }}
                    >
                      {node}
                    </a>
                  ) : (
                    node
                  )}
                  {bar && typeof cell === "number" && <Bar value={cell} most={most.get(column.key) ?? 0} kind={bar} />}
                </td>
              );
            })}
            {props.actions && <td className="row-actions">{props.actions(row)}</td>}
          </tr>
        );
      })}
    </tbody>
  );
}
