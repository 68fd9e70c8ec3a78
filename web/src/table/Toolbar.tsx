import { useState, type ReactNode } from "react";
import { apiUrl, getText, type Params } from "../api/client";
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
              {column.head}
            </label>
          ))}
        </fieldset>
      )}
    </Popover>
  );
}

export function ExportMenu({ path, params, name }: { path: string; params: Params; name: string }) {
  const [said, setSaid] = useState("");
  const all = { ...params, page: null, page_size: null };
  const copy = async (close: () => void) => {
    try {
      await navigator.clipboard.writeText(await getText(path, { ...all, format: "csv" }));
      setSaid(`${name} copied to the clipboard`);
    } catch {
      setSaid("The browser did not let the page write to the clipboard");
    }
    close();
  };
  return (
    <>
      <span className="sr-only" role="status">
        {said}
      </span>
      <Popover
        title="Export all matching rows"
        align="end"
        label={
          <>
            <Icon name="download" size={14} /> <span className="wide-only">Export</span>
          </>
        }
      >
        {(close) => (
          <div className="menu">
            <a href={apiUrl(path, { ...all, format: "csv" })} download={`${name}.csv`} onClick={close}>
              <Icon name="download" size={14} /> CSV
            </a>
            <a href={apiUrl(path, { ...all, format: "json", download: "json" })} download={`${name}.json`} onClick={close}>
              <Icon name="download" size={14} /> JSON
            </a>
            <button
              type="button"
              onClick={() => {
                void copy(close);
              }}
            >
              <Icon name="copy" size={14} /> Copy as CSV
            </button>
          </div>
        )}
      </Popover>
    </>
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
