import { useState } from "react";
import type { Column } from "../api/types";
import { Icon } from "../widgets/Icon";
import { headText, isNumeric } from "./cells";
import { parseFilter, showFilter, type TableState } from "./state";
import { TypedInput } from "./TypedInput";

type Change = (part: Partial<TableState>, options?: { replace?: boolean }) => void;

function FilterCell({ column, state, change }: { column: Column; state: TableState; change: Change }) {
  const [problem, setProblem] = useState("");
  const at = state.filters.find((filter) => filter.key === column.key);
  return (
    <TypedInput
      aria-label={`Filter ${column.head}`}
      aria-invalid={problem !== ""}
      title={problem || (isNumeric(column) ? "A number, or > < >= <= != before it; units are understood: > 2 ms" : "Part of the text; = or != before it for the whole text")}
      placeholder={isNumeric(column) ? "> …" : "contains"}
      value={at ? showFilter(at) : ""}
      onTyped={(typed) => {
        const parsed = parseFilter(column.key, typed, column.unit);
        if ("problem" in parsed) {
          setProblem(parsed.problem);
          return;
        }
        setProblem("");
        const others = state.filters.filter((filter) => filter.key !== column.key);
        change({ filters: parsed.filter ? [...others, parsed.filter] : others }, { replace: true });
      }}
    />
  );
}

// Numbers fall at the first click, texts rise; the second click turns round, the third gives the first order back.
function nextSort(column: Column, now: TableState["sort"]): TableState["sort"] {
  const first = isNumeric(column);
  if (now?.key !== column.key) return { key: column.key, falling: first };
  return now.falling === first ? { key: column.key, falling: !first } : null;
}

export function Head({
  columns,
  state,
  sort,
  change,
  filtering,
  actions,
}: {
  columns: readonly Column[];
  state: TableState;
  sort: string | undefined;
  change: Change;
  filtering: boolean;
  actions: boolean;
}) {
  const [own, order] = sort?.split(":") ?? [];
  const sorted = state.sort ?? (own === undefined ? null : { key: own, falling: order !== "asc" });
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const here = sorted?.key === column.key ? sorted : null;
          return (
            <th
              key={column.key}
              data-key={column.key}
              scope="col"
              className={isNumeric(column) ? "number" : undefined}
              aria-sort={here ? (here.falling ? "descending" : "ascending") : undefined}
            >
              <button
                type="button"
                title={column.head}
                onClick={() => {
                  change({ sort: nextSort(column, state.sort) });
                }}
              >
                {headText(column)}
                {here && <Icon name={here.falling ? "down" : "up"} size={12} />}
              </button>
            </th>
          );
        })}
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
              <FilterCell column={column} state={state} change={change} />
            </td>
          ))}
          {actions && <td className="row-actions" />}
        </tr>
      )}
    </thead>
  );
}
