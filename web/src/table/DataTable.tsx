// A table: it sorts, filters, searches, pages, chooses columns and exports; what is shown stands in the address.
// Its rows are the server's, which does the work, or `local` ones that the page has already.
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { useCorrections, type Correction } from "../address/corrections";
import { useScope, useRoute } from "../address/useRoute";
import { useDeviceWork, useProfileId, useTable } from "../api/queries";
import type { Column, Table } from "../api/types";
import { Notes } from "../widgets/Card";
import { useDeviceWords } from "../widgets/deviceWords";
import { saidTable } from "./saidTable";
import { Icon } from "../widgets/Icon";
import { Answered, Empty } from "../widgets/states";
import { Body } from "./Body";
import { sayingColumns } from "./columns";
import { ExportMenu, type Source } from "./ExportMenu";
import { Header } from "./Header";
import { chooseRows, csvOf, jsonOf, type Line } from "./local";
import { Pager } from "./Pager";
import type { TableProps } from "./props";
import { rowsOf } from "./row";
import { filterTexts, refusedState, stateParams, wrongColumns, wrongState, type TableState } from "./state";
import { ColumnChooser, SearchBox, Toolbar } from "./Toolbar";
import { useTableState, type Change } from "./useTableState";
import { useWidths } from "./widths";

// What somebody chose is shown whatever it says.
function shownColumns(table: Table, state: TableState, { hide }: TableProps, gpu: boolean): Column[] {
  const keys = state.columns ?? table.shown ?? [];
  const found = keys.flatMap((key) => table.columns.find((column) => column.key === key) ?? []);
  if (state.columns && found.length > 0) return found;
  const all = found.length > 0 ? found : table.columns;
  return sayingColumns(hide ? all.filter((column) => !hide.includes(column.key)) : all, gpu);
}

// Up, Down, Home, End move between rows; PageUp and PageDown between pages; Left and Right close and open.
function moveFocus(event: KeyboardEvent<HTMLTableElement>, page: (step: number) => void, toggle: ((key: string, open: boolean) => void) | undefined): void {
  const row = (event.target as HTMLElement).closest<HTMLElement>("tbody tr");
  if (!row || event.target !== row) return;
  const rows = [...(row.parentElement?.querySelectorAll<HTMLElement>("tr[tabindex]") ?? [])];
  const at = rows.indexOf(row);
  const open = row.getAttribute("aria-expanded");
  const targets: Record<string, number> = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: rows.length - 1 };
  const above = () => {
    const level = (each: HTMLElement) => Number(each.getAttribute("aria-level"));
    for (let i = at - 1; i >= 0; i--) if (level(rows[i] ?? row) < level(row)) return i;
    return at;
  };
  if (toggle && event.key === "ArrowRight" && open === "true") targets.ArrowRight = at + 1;
  if (toggle && event.key === "ArrowLeft" && open !== "true") targets.ArrowLeft = above();
  const target = targets[event.key];
  if (target !== undefined) rows[Math.max(0, Math.min(rows.length - 1, target))]?.focus();
  else if (event.key === "PageDown") page(1);
  else if (event.key === "PageUp") page(-1);
  else if (toggle && open !== null && (event.key === "ArrowRight" || event.key === "ArrowLeft")) toggle(row.dataset.row ?? "", event.key === "ArrowRight");
  else return;
  event.preventDefault();
}

interface FrameProps {
  props: TableProps;
  table: Table; // the page of rows that is shown
  lines: readonly Line[] | null;
  state: TableState;
  change: Change;
  filtering: boolean;
}

// A row that was selected elsewhere is brought into sight once.
function useRowInSight(selected: string | null | undefined, table: Table) {
  const grid = useRef<HTMLTableElement>(null);
  const shown = useRef<string | null>(null);
  useEffect(() => {
    if (!selected) shown.current = null;
    if (!selected || shown.current === selected) return;
    const row = grid.current?.querySelector<HTMLElement>(`tr[data-row="${CSS.escape(selected)}"]`);
    if (!row) return;
    shown.current = selected;
    row.scrollIntoView({ block: "nearest" });
  }, [selected, table]);
  return grid;
}

function Grid({ props, table, lines, state, change, filtering }: FrameProps) {
  const gpu = useDeviceWork();
  const columns = shownColumns(table, state, props, gpu);
  const rows = rowsOf(table);
  const pages = Math.ceil(table.rows_matching / state.size);
  const grid = useRowInSight(props.selected, table);
  const { widths, set } = useWidths(props.name);
  return (
    <div className={`table-wrap ${props.height ?? "full"}`}>
      <table
        ref={grid}
        role={props.tree && "treegrid"}
        aria-label={props.label}
        onKeyDown={(event) => {
          moveFocus(
            event,
            (step) => {
              const page = state.page + step;
              if (page >= 0 && page < pages) change({ page });
            },
            props.tree?.toggle,
          );
        }}
      >
        <Header columns={columns} state={state} sort={props.sort} change={change} filtering={filtering} actions={!!props.actions} widths={widths} setWidth={set} />
        <Body props={props} all={table.columns} columns={columns} rows={rows} lines={lines} search={state.search} widths={widths} />
      </table>
      {rows.length === 0 && (
        <Empty title={table.rows_in_all === 0 ? (props.emptyTitle ?? "Nothing of this kind in the range") : "No row matches"}>
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

interface ToolsProps extends Pick<FrameProps, "props" | "state" | "change" | "filtering"> {
  table: Table | undefined;
  setFiltering: (on: boolean) => void;
  source: Source;
}

function Tools({ props, table, state, change, filtering, setFiltering, source }: ToolsProps) {
  const gpu = useDeviceWork();
  return (
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
              setFiltering(!filtering);
            }}
          >
            <Icon name="filter" size={14} /> <span className="wide-only">Filter</span>
            {state.filters.length > 0 && ` (${String(state.filters.length)})`}
          </button>
          {state.filters.length > 0 && (
            <button
              type="button"
              className="link"
              onClick={() => {
                change({ filters: [] });
              }}
            >
              Clear filters
            </button>
          )}
          {props.tools}
        </>
      }
    >
      {table && <Pager state={state} matching={table.rows_matching} all={table.rows_in_all} change={change} />}
      {table && (
        <ColumnChooser
          columns={table.columns}
          shown={shownColumns(table, state, props, gpu).map((column) => column.key)}
          choose={(keys) => {
            change({ columns: keys });
          }}
        />
      )}
      <ExportMenu source={source} name={props.label} />
    </Toolbar>
  );
}

// The row of filters: open where the address has some, until it is closed; closing it keeps them.
function useFiltering(state: TableState): [boolean, (on: boolean) => void] {
  const [row, setRow] = useState<boolean | null>(null);
  return [row ?? state.filters.length > 0, setRow];
}

function ServerTable(props: TableProps) {
  const [state, change] = useTableState(props.prefix ?? "", props.size);
  const [filtering, setFiltering] = useFiltering(state);
  const asked = stateParams(state);
  asked.sort ??= props.sort;
  const params = { ...props.params, ...asked, filter: [...(props.only ?? []), ...filterTexts(state)] };
  const answer = useTable(props.name, params);
  const say = useDeviceWords();
  const wrong = useWrong(props, state, answer.isPlaceholderData ? undefined : answer.data, "shown");
  useCorrections(wrong.length > 0 ? wrong : refusedState(state, props.prefix ?? "", answer.error));
  const range = useScope();
  const path = `/profiles/${useProfileId()}/tables/${props.name}`;
  return (
    <div className="data-table" data-table={props.name}>
      <Tools {...{ props, state, change, filtering, setFiltering }} table={answer.data && saidTable(props.name, answer.data, say)} source={{ path, params: { ...range, ...params } }} />
      <Answered answer={answer} what={props.label} rows={10}>
        {(found) => {
          const table = saidTable(props.name, found, say);
          return (
            <>
              <Grid {...{ props, table, state, change, filtering }} lines={null} />
              <Notes notes={table.notes} />
            </>
          );
        }}
      </Answered>
    </div>
  );
}

// What is wrong with the address of a table.
function useWrong(props: TableProps, state: TableState, table: Table | undefined, checked: "all" | "shown"): Correction[] {
  const { params } = useRoute();
  const prefix = props.prefix ?? "";
  const wrong = wrongState(params, prefix, props.size);
  return wrong.length > 0 || !table ? wrong : wrongColumns(state, table, prefix, checked);
}

function sortOf(state: TableState, own: string | undefined): TableState["sort"] {
  const [key, order] = own?.split(":") ?? [];
  return state.sort ?? (key === undefined ? null : { key, descending: order !== "asc" });
}

function LocalTable({ local: given, ...props }: TableProps & { local: Table }) {
  const say = useDeviceWords();
  const local = useMemo(() => saidTable(props.name, given, say), [props.name, given, say]);
  const [state, change] = useTableState(props.prefix ?? "", props.size);
  const [filtering, setFiltering] = useFiltering(state);
  const { tree, rowKey } = props;
  const keys = useMemo(() => rowsOf(local).map(rowKey), [local, rowKey]);
  const chosen = useMemo(
    () => chooseRows(local, state, sortOf(state, props.sort), tree && { parents: tree.parents, isOpen: (row) => tree.open.has(keys[row] ?? "") }),
    [local, state, props.sort, tree, keys],
  );
  const lines = chosen.lines.slice(state.page * state.size, (state.page + 1) * state.size);
  const table: Table = { ...local, rows: lines.map((line) => local.rows[line.at] ?? []), rows_in_all: local.rows.length, rows_matching: chosen.lines.length };
  useCorrections(useWrong(props, state, table, "all"));
  return (
    <div className="data-table" data-table={props.name}>
      <Tools
        {...{ props, state, change, filtering, setFiltering, table }}
        source={{ csv: () => csvOf(local, chosen.matches), json: () => jsonOf(local, chosen.matches) }}
      />
      <Grid {...{ props, table, state, change, filtering }} lines={tree ? lines : null} />
      <Notes notes={local.notes} />
    </div>
  );
}

export function DataTable({ local, ...props }: TableProps) {
  return local ? <LocalTable {...props} local={local} /> : <ServerTable {...props} />;
}
