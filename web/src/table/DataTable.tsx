// A table of the server's: it sorts, filters, searches and pages there; what is shown stands in the address.
import { useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { useProfileId, useRange } from "../app/useRoute";
import type { Params } from "../api/client";
import { useTable } from "../api/queries";
import type { Column, Table } from "../api/types";
import { Notes } from "../widgets/Card";
import { Icon } from "../widgets/Icon";
import { Answered, Empty } from "../widgets/states";
import { Head } from "./Head";
import { Body } from "./Body";
import { Pager } from "./Pager";
import { rowsOf, type Row } from "./row";
import { filterTexts, stateParams, type TableState } from "./state";
import { ColumnChooser, ExportMenu, SearchBox, Toolbar } from "./Toolbar";
import { useTableState, type Change } from "./useTableState";

export interface TableProps {
  name: string; // of the server's table
  label: string;
  params?: Params;
  only?: readonly string[]; // filters that always hold
  prefix?: string;
  columns: readonly string[]; // shown unless others are chosen
  bars?: Readonly<Record<string, string>>; // columns with a bar behind the number, and its colour
  sort?: string; // unless another is chosen: "key:desc"
  rowKey: (row: Row) => string;
  selected?: string | null;
  onSelect?: (row: Row, key: string) => void;
  link?: (row: Row, column: Column) => string | null;
  actions?: (row: Row) => ReactNode;
  empty?: ReactNode;
  height?: "full" | "half";
}

function shownColumns(table: Table, state: TableState, chosen: readonly string[]): Column[] {
  const keys = state.columns ?? chosen;
  const found = keys.flatMap((key) => table.columns.find((column) => column.key === key) ?? []);
  return found.length > 0 ? found : table.columns;
}

// Up, Down, Home, End move between rows; PageUp and PageDown between pages.
function moveFocus(event: KeyboardEvent<HTMLTableElement>, page: (step: number) => void): void {
  const row = (event.target as HTMLElement).closest<HTMLElement>("tbody tr");
  if (!row || event.target !== row) return;
  const rows = [...(row.parentElement?.querySelectorAll<HTMLElement>("tr[tabindex]") ?? [])];
  const at = rows.indexOf(row);
  const targets: Record<string, number> = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: rows.length - 1 };
  const target = targets[event.key];
  if (target !== undefined) rows[Math.max(0, Math.min(rows.length - 1, target))]?.focus();
  else if (event.key === "PageDown") page(1);
  else if (event.key === "PageUp") page(-1);
  else return;
  event.preventDefault();
}

function Grid({ props, table, state, change, filtering }: GridProps) {
  const columns = shownColumns(table, state, props.columns);
  const rows = rowsOf(table);
  const pages = Math.ceil(table.rows_matching / state.size);
  const body = useRef<HTMLTableElement>(null);
  return (
    <div className={`table-wrap ${props.height ?? "full"}`}>
      <table
        ref={body}
        aria-label={props.label}
        onKeyDown={(event) => {
          moveFocus(event, (step) => {
            const page = state.page + step;
            if (page >= 0 && page < pages) change({ page });
          });
        }}
      >
        <Head columns={columns} state={state} sort={props.sort} change={change} filtering={filtering} actions={!!props.actions} />
        <Body props={props} columns={columns} rows={rows} />
      </table>
      {rows.length === 0 && (
        <Empty title={table.rows_in_all === 0 ? "Nothing of this kind in the range" : "No row matches"}>
          {table.rows_in_all === 0 ? (
            props.empty
          ) : (
            <button
              className="link"
              onClick={() => {
                change({ search: "", filters: [] });
              }}
            >
              Take search and filters away
            </button>
          )}
        </Empty>
      )}
    </div>
  );
}

interface GridProps {
  props: TableProps;
  table: Table;
  state: TableState;
  change: Change;
  filtering: boolean;
}

export function DataTable(props: TableProps) {
  const prefix = props.prefix ?? "";
  const [state, change] = useTableState(prefix);
  const [filterRow, setFilterRow] = useState(false);
  const filtering = filterRow || state.filters.length > 0;
  const asked = stateParams(state);
  asked.sort ??= props.sort;
  const params = { ...props.params, ...asked, filter: [...(props.only ?? []), ...filterTexts(state)] };
  const answer = useTable(props.name, params);
  const range = useRange();
  const path = `/profiles/${useProfileId()}/tables/${props.name}`;
  const columns = answer.data ? shownColumns(answer.data, state, props.columns).map((column) => column.key) : [];
  return (
    <div className="data-table" data-table={props.name}>
      <Toolbar
        start={
          <>
            <SearchBox
              label={`Search in ${props.label}`}
              state={state}
              change={(search) => {
                change({ search }, { quiet: true });
              }}
            />
            <button
              type="button"
              className="button"
              aria-label="Filter by column"
              aria-pressed={filtering}
              onClick={() => {
                if (filtering && state.filters.length > 0) change({ filters: [] });
                setFilterRow(!filtering);
              }}
            >
              <Icon name="filter" size={14} /> <span className="wide-only">Filter</span>
              {state.filters.length > 0 && ` (${String(state.filters.length)})`}
            </button>
          </>
        }
      >
        {answer.data && (
          <Pager state={state} matching={answer.data.rows_matching} all={answer.data.rows_in_all} change={change} />
        )}
        {answer.data && (
          <ColumnChooser
            columns={answer.data.columns}
            shown={columns}
            choose={(keys) => {
              change({ columns: keys });
            }}
          />
        )}
        <ExportMenu path={path} params={{ ...range, ...params }} name={props.label} />
      </Toolbar>
      <Answered answer={answer} what={props.label} rows={10}>
        {(table) => (
          <>
            <Grid props={props} table={table} state={state} change={change} filtering={filtering} />
            <Notes notes={table.notes} />
          </>
        )}
      </Answered>
    </div>
  );
}
