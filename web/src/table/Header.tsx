import { useState } from "react";
import type { Choice, Column } from "../api/types";
import { Icon } from "../widgets/Icon";
import { headLines, isNumeric } from "./cells";
import { choiceFilter, choicesOf, chosenOf } from "./choices";
import { filterExample, filterHelp, parseFilters, showFilters } from "./filters";
import { withFilters, type Filter, type TableState } from "./state";
import { TypedInput } from "./TypedInput";
import type { Change } from "./useTableState";
import { widthStyle, type Widths } from "./widths";

interface CellProps {
  column: Column;
  filters: readonly Filter[]; // of this column
  change: Change;
}

const OTHER = "\u0000";

function ChoiceFilter({ column, filters, change, choices }: CellProps & { choices: readonly Choice[] }) {
  const chosen = chosenOf(column, filters);
  const value = filters.length === 0 ? "any" : chosen ? `=${chosen.value}` : OTHER;
  return (
    <select
      aria-label={`Filter ${column.header}`}
      value={value}
      onChange={(event) => {
        const picked = event.target.value;
        change((now) => ({ filters: withFilters(now, column.key, picked === "any" ? [] : [choiceFilter(column, picked.slice(1))]) }), { replace: true });
      }}
    >
      <option value="any">any</option>
      {choices.map((choice) => (
        <option key={choice.value} value={`=${choice.value}`}>
          {choice.word}
        </option>
      ))}
      {value === OTHER && <option value={OTHER}>{showFilters(column, filters)}</option>}
    </select>
  );
}

function TextFilter({ column, filters, change }: CellProps) {
  const [typed, setTyped] = useState("");
  const [checked, setChecked] = useState("");
  const parsed = parseFilters(column, typed);
  // Half of a number is not a mistake yet: it is judged when typing pauses.
  const problem = checked === typed && "problem" in parsed ? parsed.problem : "";
  return (
    <>
      <TypedInput
        aria-label={`Filter ${column.header}`}
        aria-invalid={problem !== ""}
        title={filterHelp(column)}
        placeholder={filterExample(column)}
        value={showFilters(column, filters)}
        reads={(text) => {
          const read = parseFilters(column, text);
          return "filters" in read ? showFilters(column, read.filters) : "";
        }}
        onTyped={(text) => {
          setTyped(text);
          const read = parseFilters(column, text);
          change((now) => ({ filters: withFilters(now, column.key, "filters" in read ? read.filters : []) }), { quiet: true });
        }}
        onPause={() => {
          setChecked(typed);
        }}
      />
      {problem && (
        <p className="filter-problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

function FilterCell(props: CellProps) {
  const choices = choicesOf(props.column);
  return choices ? <ChoiceFilter {...props} choices={choices} /> : <TextFilter {...props} />;
}

// Numbers fall at the first click, texts rise; the second click turns round, the third gives the first order back.
function nextSort(column: Column, now: TableState["sort"]): TableState["sort"] {
  const first = isNumeric(column);
  if (now?.key !== column.key) return { key: column.key, descending: first };
  return now.descending === first ? { key: column.key, descending: !first } : null;
}

const STEP = 16;

// The border of a column's head: drag it, or Shift and an arrow key on the head; a double click fits the column again.
function Grip({ setWidth }: { setWidth: (width: number | null) => void }) {
  return (
    <span
      className="grip"
      aria-hidden="true"
      onPointerDown={(event) => {
        const head = event.currentTarget.closest("th");
        if (event.button !== 0 || !head) return;
        event.preventDefault();
        const grip = event.currentTarget;
        const from = event.clientX - head.getBoundingClientRect().width;
        grip.setPointerCapture(event.pointerId);
        const move = (moved: PointerEvent) => {
          setWidth(moved.clientX - from);
        };
        grip.addEventListener("pointermove", move);
        grip.addEventListener(
          "lostpointercapture",
          () => {
            grip.removeEventListener("pointermove", move);
          },
          { once: true },
        );
      }}
      onDoubleClick={() => {
        setWidth(null);
      }}
    />
  );
}

interface ColumnHeaderProps {
  column: Column;
  here: TableState["sort"]; // where this is the column that rows are sorted by
  change: Change;
  widths: Widths;
  setWidth: (key: string, width: number | null) => void;
}

function ColumnHeader({ column, here, change, widths, setWidth }: ColumnHeaderProps) {
  const resize = (width: number | null) => {
    setWidth(column.key, width);
  };
  return (
    <th
      data-key={column.key}
      scope="col"
      className={[isNumeric(column) && "number", column.key in widths && "sized"].filter(Boolean).join(" ") || undefined}
      style={widthStyle(widths, column.key)}
      aria-sort={here ? (here.descending ? "descending" : "ascending") : undefined}
    >
      <button
        type="button"
        title={[column.header, column.description, "Shift and ← or → make the column narrower or wider"].filter(Boolean).join("\n")}
        aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight"
        onClick={() => {
          change((now) => ({ sort: nextSort(column, now.sort) }));
        }}
        onKeyDown={(event) => {
          const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
          if (!event.shiftKey || by === undefined) return;
          event.preventDefault();
          resize((event.currentTarget.closest("th")?.getBoundingClientRect().width ?? 0) + by);
        }}
      >
        <span>{headLines(column)}</span>
        {here && <Icon name={here.descending ? "down" : "up"} size={12} />}
      </button>
      <Grip setWidth={resize} />
    </th>
  );
}

interface HeaderProps extends Pick<ColumnHeaderProps, "change" | "widths" | "setWidth"> {
  state: TableState;
  columns: readonly Column[];
  sort: string | undefined;
  filtering: boolean;
  actions: boolean;
}

export function Header({ columns, state, sort, filtering, actions, ...rest }: HeaderProps) {
  const { change } = rest;
  const [own, order] = sort?.split(":") ?? [];
  const sorted = state.sort ?? (own === undefined ? null : { key: own, descending: order !== "asc" });
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <ColumnHeader key={column.key} column={column} here={sorted?.key === column.key ? sorted : null} {...rest} />
        ))}
        {actions && (
          <th scope="col" className="row-actions">
            <span className="sr-only">Elsewhere</span>
          </th>
        )}
      </tr>
      {filtering && (
        <tr className="filter-row">
          {columns.map((column) => (
            <td key={column.key} data-key={column.key}>
              <FilterCell column={column} filters={state.filters.filter((filter) => filter.key === column.key)} change={change} />
            </td>
          ))}
          {actions && <td className="row-actions" />}
        </tr>
      )}
    </thead>
  );
}
