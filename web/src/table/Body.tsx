import type { KeyboardEvent, ReactNode } from "react";
import type { Column } from "../api/types";
import { Bar } from "../widgets/charts";
import { Icon } from "../widgets/Icon";
import { opTypeWords } from "../widgets/opTypes";
import { cellNode, cellText, cellTitle, isNumeric, layerTail } from "./cells";
import { choicesOf } from "./choices";
import type { TableProps } from "./props";
import { foundIn, type Line } from "./local";
import type { Row } from "./row";
import { tellApart } from "./tell";
import { widthStyle, type Widths } from "./widths";

// The greatest number of each column with bars: what its bars are drawn against.
function greatest(rows: readonly Row[], bars: TableProps["bars"]): Map<string, number> {
  const most = (key: string) => (rows[0]?.column(key)?.unit === "percent" ? 100 : Math.max(0, ...rows.map((row) => row.number(key) ?? 0)));
  return new Map(Object.keys(bars ?? {}).map((key) => [key, most(key)]));
}


function cellClass(column: Column, first: boolean, sized: boolean): string | undefined {
  const classes = [isNumeric(column) && "number", first && "first", !isNumeric(column) && choicesOf(column) === null && "long", sized && "sized"].filter(Boolean);
  return classes.length > 0 ? classes.join(" ") : undefined;
}

// Where a search found a row of which no shown cell has the text.
function FoundIn({ search, columns, all, row }: { search: string; columns: readonly Column[]; all: readonly Column[]; row: Row }) {
  if (search === "") return null;
  const found = foundIn(search, all, row.cells);
  if (found.some((column) => columns.some((each) => each.key === column.key)) || !found[0]) return null;
  const [first] = found;
  return (
    <span className="found-in" title={cellText(first, row.get(first.key))}>
      found in {first.header}
    </span>
  );
}

// The indentation of a row of a tree, and what opens it.
function Twig({ line, toggle }: { line: Line; toggle: (open: boolean) => void }) {
  return (
    <span className="twig" style={{ paddingInlineStart: `${String(line.depth * 16)}px` }}>
      {line.parent ? (
        <button
          type="button"
          tabIndex={-1}
          aria-label={line.open ? "Close" : "Open"}
          onClick={(event) => {
            event.stopPropagation();
            toggle(!line.open);
          }}
        >
          <Icon name={line.open ? "down" : "right"} size={12} />
        </button>
      ) : (
        <span className="leaf" />
      )}
    </span>
  );
}

interface Props {
  props: TableProps;
  all: readonly Column[];
  columns: readonly Column[];
  rows: readonly Row[];
  lines: readonly Line[] | null; // of a tree: one for each row
  search: string;
  widths: Widths;
}

interface CellProps extends Omit<Props, "rows" | "lines"> {
  row: Row;
  column: Column;
  first: boolean;
  note: string;
  line: Line | undefined;
  most: ReadonlyMap<string, number>;
}

function CellOf({ props, all, columns, search, widths, row, column, first, note, line, most }: CellProps) {
  const cell = row.get(column.key);
  const href = props.link?.(row, column);
  const bar = props.bars?.[column.key];
  const own = props.cell?.(row, column);
  const words = column.key === "op_type" && typeof cell === "string" ? opTypeWords(cell) : null;
  const node: ReactNode = own ?? words ?? (column.key === "layer" && typeof cell === "string" ? layerTail(cell) : cellNode(column, cell));
  const key = props.rowKey(row);
  return (
    <td data-key={column.key} className={cellClass(column, first, column.key in widths)} style={widthStyle(widths, column.key)} title={cellTitle(column, cell)}>
      {first && line && (
        <Twig
          line={line}
          toggle={(open) => {
            props.tree?.toggle(key, open);
          }}
        />
      )}
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
      {column.key === "op_name" && note && (
        <span className="hint apart" title={note}>
          {note}
        </span>
      )}
      {words !== null && <span className="hint apart">{cell}</span>}
      {first && <FoundIn search={search} columns={columns} all={all} row={row} />}
      {bar && typeof cell === "number" && <Bar value={cell} most={most.get(column.key) ?? 0} kind={bar} />}
    </td>
  );
}

function rowClass(chosen: boolean, line: Line | undefined): string | undefined {
  return [chosen && "selected", line && !line.matches && "context"].filter(Boolean).join(" ") || undefined;
}

export function Body(all: Props) {
  const { props, columns, rows, lines } = all;
  const most = greatest(rows, props.bars);
  const notes = tellApart(rows);
  const { onSelect, selected } = props;
  const keys = rows.map(props.rowKey);
  const chosenAt = keys.findIndex((key) => key === selected);
  return (
    <tbody>
      {rows.map((row, index) => {
        const key = keys[index] ?? "";
        const line = lines?.[index];
        const isChosen = key === selected;
        const select = onSelect
          ? () => {
              onSelect(row, key);
            }
          : undefined;
        return (
          <tr
            key={`${key} ${String(index)}`}
            data-row={key}
            tabIndex={index === Math.max(0, chosenAt) ? 0 : -1}
            aria-selected={onSelect ? isChosen : undefined}
            aria-level={line && line.depth + 1}
            aria-expanded={line?.parent ? line.open : undefined}
            className={rowClass(isChosen, line)}
            onClick={select}
            onKeyDown={(event: KeyboardEvent) => {
              if (event.key === "Enter" && event.target === event.currentTarget) select?.();
            }}
          >
            {columns.map((column, at) => (
              <CellOf key={column.key} {...all} row={row} column={column} first={at === 0} note={notes[index] ?? ""} line={line} most={most} />
            ))}
            {props.actions && <td className="row-actions">{props.actions(row)}</td>}
          </tr>
        );
      })}
    </tbody>
  );
}
