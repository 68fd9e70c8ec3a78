// A report of a store as a table. Numbers are those of `opsight fleet report`.
import { useMemo } from "react";
import { linkTo, patched, formatHash } from "../../address/route";
import { useRoute, useSetParams } from "../../address/useRoute";
import type { Column, StoreAnswer } from "../../api/types";
import { DataTable } from "../../table/DataTable";
import type { TableProps } from "../../table/props";
import { wholeRow, type Row } from "../../table/row";
import { Card, Notes } from "../../widgets/Card";
import { Icon } from "../../widgets/Icon";
import { Answered } from "../../widgets/states";
import { useStoreAnswer, type Choice } from "./api";
import { namesOfRuns, RUNS } from "./names";

export interface OfStore {
  choice: Choice;
  profiles: ReadonlyMap<string, string>; // names by runs
}

const NAMES = ["name", "run_name"];

// A run leads to itself alone, its name to its profile where the viewer has that.
export function useFleetLink(profiles: ReadonlyMap<string, string>): (row: Row, column: Column) => string | null {
  const { view, params } = useRoute();
  return (row, column) => {
    const run = row.text(RUNS.includes(column.key) ? column.key : "run");
    if (run === null) return null;
    if (RUNS.includes(column.key)) return formatHash(view, patched(params, { run, label: null, page: null }));
    const profile = NAMES.includes(column.key) ? profiles.get(run) : undefined;
    return profile === undefined ? null : linkTo("dashboard", new URLSearchParams({ profile }));
  };
}

interface Props extends OfStore, Pick<TableProps, "bars" | "actions"> {
  shown?: readonly string[]; // the columns at first; unless given all
  name: string;
  title: string;
  note?: string;
  empty: string;
}

export function FleetReport({ choice, profiles, name, title, note, empty, shown, ...table }: Props) {
  const link = useFleetLink(profiles);
  const answer = useStoreAnswer<StoreAnswer>(choice, `reports/${name}`);
  const named = answer.data?.tables.some((table) => table.columns.some((column) => column.key === "worst_run")) ?? false;
  const runs = useStoreAnswer<StoreAnswer>(choice, "reports/runs", {}, named).data?.tables[0];
  const cell = useMemo(() => namesOfRuns(runs), [runs]);
  return (
    <Card title={title} note={note}>
      <Answered answer={answer} what={title} rows={6}>
        {({ tables: [found], notes }) =>
          !found || found.rows.length === 0 ? (
            <p className="quiet">{empty}</p>
          ) : (
            <>
              <DataTable
                {...table}
                name={`fleet_${name}`}
                label={title}
                prefix={`${name.replace("_", "")}.`}
                height="half"
                local={shown ? { ...found, shown: [...shown] } : found}
                rowKey={wholeRow}
                link={link}
                cell={cell}
              />
              <Notes notes={notes} />
            </>
          )
        }
      </Answered>
    </Card>
  );
}

// For tables whose rows are runs.
export function OnlyThisRun({ row }: { row: Row }) {
  const setParams = useSetParams();
  const run = row.text("run");
  if (run === null) return null;
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={`Only ${row.text("name") ?? run}`}
      title="This run alone"
      onClick={(event) => {
        event.stopPropagation();
        setParams({ run, page: null });
      }}
    >
      <Icon name="filter" size={14} />
    </button>
  );
}
