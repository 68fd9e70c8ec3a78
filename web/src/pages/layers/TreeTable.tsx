import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, type KeyboardEvent } from "react";
import type { LayerRow } from "../../api/types";
import { Bar } from "../../widgets/charts";
import { Icon } from "../../widgets/Icon";
import { Num } from "../../widgets/Num";
import { valueOf, type Line, type Order, type SortKey } from "./tree";

export interface TreeColumn {
  key: SortKey;
  head: string;
  kind?: string; // colour of the bar
}

interface Props {
  lines: readonly Line[];
  columns: readonly TreeColumn[];
  open: ReadonlySet<string>;
  toggle: (path: string, open: boolean) => void;
  selected: string | null;
  select: (path: string) => void;
  order: Order | null;
  sort: (key: SortKey) => void;
  most: (key: SortKey) => number;
}

const HEIGHT = 30;

function NumberCell({ row, column, most }: { row: LayerRow; column: TreeColumn; most: number }) {
  const value = valueOf(row, column.key);
  if (typeof value === "string") return null;
  return (
    <div role="gridcell" className="number">
      <Num value={value} unit={column.key === "calls" || column.key === "kernels" ? "count" : "ns"} />
      {column.kind && <Bar value={value} most={most} kind={column.kind} />}
    </div>
  );
}

function TreeLine({ line, props, index, focusable }: { line: Line; props: Props; index: number; focusable: boolean }) {
  const { node, depth } = line;
  const parent = node.children.length > 0;
  const isOpen = props.open.has(node.path);
  return (
    <div
      role="row"
      aria-level={depth + 1}
      aria-expanded={parent ? isOpen : undefined}
      aria-selected={node.path === props.selected}
      aria-rowindex={index + 2}
      data-index={index}
      tabIndex={focusable ? 0 : -1}
      className={node.path === props.selected ? "tree-row selected" : "tree-row"}
      onClick={() => {
        props.select(node.path);
      }}
    >
      <div role="gridcell" className="tree-name" style={{ paddingInlineStart: `${String(8 + depth * 16)}px` }} title={node.path || "/"}>
        {parent ? (
          <button
            type="button"
            tabIndex={-1}
            aria-label={isOpen ? "Close" : "Open"}
            onClick={(event) => {
              event.stopPropagation();
              props.toggle(node.path, !isOpen);
            }}
          >
            <Icon name={isOpen ? "down" : "right"} size={12} />
          </button>
        ) : (
          <span className="leaf" />
        )}
        <span>{node.row.name || "/"}</span>
      </div>
      {props.columns.map((column) => (
        <NumberCell key={column.key} row={node.row} column={column} most={props.most(column.key)} />
      ))}
    </div>
  );
}

function parentOf(lines: readonly Line[], at: number): number {
  const depth = lines[at]?.depth ?? 0;
  let above = at - 1;
  while (above > 0 && (lines[above]?.depth ?? 0) >= depth) above--;
  return above;
}

function useTreeKeys(props: Props, focus: (index: number) => void) {
  return (event: KeyboardEvent) => {
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-index]");
    if (!row) return;
    const at = Number(row.dataset.index);
    const line = props.lines[at];
    if (!line) return;
    const { node } = line;
    const isOpen = props.open.has(node.path);
    const actions: Record<string, () => void> = {
      ArrowDown: () => {
        focus(at + 1);
      },
      ArrowUp: () => {
        focus(at - 1);
      },
      Home: () => {
        focus(0);
      },
      End: () => {
        focus(props.lines.length - 1);
      },
      ArrowRight: () => {
        if (node.children.length > 0 && !isOpen) props.toggle(node.path, true);
        else if (isOpen) focus(at + 1);
      },
      ArrowLeft: () => {
        if (isOpen && node.children.length > 0) props.toggle(node.path, false);
        else focus(parentOf(props.lines, at));
      },
      Enter: () => {
        props.select(node.path);
      },
    };
    const act = actions[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
}

export function TreeTable(props: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: props.lines.length, getScrollElement: () => scroller.current, estimateSize: () => HEIGHT, overscan: 12 });
  const chosen = props.lines.findIndex((line) => line.node.path === props.selected);
  useEffect(() => {
    if (chosen >= 0) virtual.scrollToIndex(chosen, { align: "auto" });
    // Only a new selection scrolls; opening and closing rows above it does not.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [props.selected]);
  const focus = (index: number) => {
    const target = Math.max(0, Math.min(props.lines.length - 1, index));
    virtual.scrollToIndex(target, { align: "auto" });
    requestAnimationFrame(() => {
      scroller.current?.querySelector<HTMLElement>(`[data-index="${String(target)}"]`)?.focus();
    });
  };
  const keys = useTreeKeys(props, focus);
  const template = { gridTemplateColumns: `minmax(220px, 1fr) repeat(${String(props.columns.length)}, minmax(84px, 118px))` };
  const head = (key: SortKey, text: string, number: boolean) => (
    <div
      key={key}
      role="columnheader"
      className={number ? "number" : undefined}
      aria-sort={props.order?.key === key ? (props.order.falling ? "descending" : "ascending") : undefined}
    >
      <button
        type="button"
        onClick={() => {
          props.sort(key);
        }}
      >
        {text}
        {props.order?.key === key && <Icon name={props.order.falling ? "down" : "up"} size={12} />}
      </button>
    </div>
  );
  return (
    <div className="tree" ref={scroller} role="treegrid" aria-label="Layers" aria-rowcount={props.lines.length + 1} onKeyDown={keys}>
      <div role="rowgroup" className="tree-head">
        <div role="row" className="tree-grid" style={template} aria-rowindex={1}>
          {head("name", "Layer", false)}
          {props.columns.map((column) => head(column.key, column.head, true))}
        </div>
      </div>
      <div role="rowgroup" className="tree-body" style={{ height: `${String(virtual.getTotalSize())}px` }}>
        {virtual.getVirtualItems().map((item) => {
          const line = props.lines[item.index];
          if (!line) return null;
          return (
            <div key={line.node.path} role="presentation" className="tree-slot" style={{ transform: `translateY(${String(item.start)}px)`, ...template }}>
              <TreeLine line={line} props={props} index={item.index} focusable={chosen >= 0 ? item.index === chosen : item.index === 0} />
            </div>
          );
        })}
      </div>
    </div>
  );
}
