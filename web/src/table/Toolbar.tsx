import type { ReactNode } from "react";
import type { Column } from "../api/types";
import { Icon } from "../widgets/Icon";
import { Popover } from "../widgets/Popover";
import type { TableState } from "./state";
import { TypedInput } from "./TypedInput";

export function ColumnChooser({
  columns,
  shown,
  choose,
}: {
  columns: readonly Column[];
  shown: readonly string[];
  choose: (keys: string[] | null) => void;
}) {
  return (
    <Popover
      title="Choose columns"
      align="end"
      label={
        <>
          <Icon name="columns" size={14} /> <span className="wide-only">Columns</span>
        </>
      }
    >
      {() => (
        <fieldset className="chooser">
          <legend className="sr-only">Columns that are shown</legend>
          <div className="chooser-actions">
            <button
              type="button"
              className="link"
              onClick={() => {
                choose(columns.map((column) => column.key));
              }}
            >
              All
            </button>
            <button
              type="button"
              className="link"
              onClick={() => {
                choose(null);
              }}
            >
              As at first
            </button>
          </div>
          {columns.map((column) => (
            <label key={column.key}>
              <input
                type="checkbox"
                checked={shown.includes(column.key)}
                onChange={(event) => {
                  const keys = columns.map((each) => each.key);
                  const next = keys.filter((key) => (key === column.key ? event.target.checked : shown.includes(key)));
                  if (next.length > 0) choose(next);
                }}
              />
              {column.header}
            </label>
          ))}
        </fieldset>
      )}
    </Popover>
  );
}

export function SearchBox({ label, state, change }: { label: string; state: TableState; change: (search: string) => void }) {
  return (
    <label className="search">
      <Icon name="search" size={14} />
      <span className="sr-only">{label}</span>
      <TypedInput type="search" placeholder="Search" value={state.search} onTyped={change} />
    </label>
  );
}

export function Toolbar({ start, children }: { start: ReactNode; children: ReactNode }) {
  return (
    <div className="toolbar">
      {start}
      <div className="toolbar-end">{children}</div>
    </div>
  );
}
