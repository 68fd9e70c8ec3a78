// All runs that the viewer was started with, in the order in which they were recorded: where their time changed. The server
// finds that as `opsight trend` does.
import { useQuery } from "@tanstack/react-query";
import { useRank } from "../address/useRoute";
import { getJson, type ApiError } from "../api/client";
import type { Table, TrendAnswer } from "../api/types";
import { DataTable } from "../table/DataTable";
import { Row, wholeRow } from "../table/row";
import { Card, Notes } from "../widgets/Card";
import { Answered, Empty } from "../widgets/states";
import { axisFrom, TrendChart, type RunPoint } from "./trend/TrendChart";

const ITERATION_TIME = "iteration time";

function pointsOf(runs: Table, changes: Table): RunPoint[] {
  const changed = new Set(
    changes.rows.map((row) => new Row(changes, row)).flatMap((row) => (row.text("of") === ITERATION_TIME ? [row.number("run")] : [])),
  );
  return runs.rows.map((cells) => {
    const row = new Row(runs, cells);
    return { label: row.text("label") ?? "", ns: row.number("median_ns") ?? 0, changed: changed.has(row.number("run")) };
  });
}

function List({ table, note, empty }: { table: Table; note: string; empty: string }) {
  return (
    <Card title={table.title} note={note}>
      <DataTable
        name={`trend_${table.name}`}
        label={table.title}
        prefix={`${table.name}.`}
        height="half"
        local={{ ...table, rows_in_all: table.rows.length, rows_matching: table.rows.length }}
        rowKey={wholeRow}
        empty={empty}
      />
    </Card>
  );
}

function Trend({ answer }: { answer: TrendAnswer }) {
  const rank = useRank();
  const runs = answer.tables.find((table) => table.name === "runs");
  const changes = answer.tables.find((table) => table.name === "changes");
  if (!runs || !changes) {
    return (
      <Empty icon="trend" title="A trend is of two runs or more">
        <p>
          Start the viewer with a folder of runs of one program: <code>opsight view nightly/</code>
        </p>
      </Empty>
    );
  }
  const points = pointsOf(runs, changes);
  return (
    <div className="cards">
      <Card title="Iteration time by run" note={`medians, each run over its own default range${axisFrom(points) > 0 ? "; the axis does not begin at zero" : ""}`}>
        <Notes notes={answer.notes} />
        <TrendChart runs={points} />
        {answer.left_out.length > 0 && <p>Not among them: {answer.left_out.join(", ")}. They cannot be read, hold nothing, or have no iterations where others do{rank !== null && `, or no rank ${String(rank)}`}.</p>}
      </Card>
      <List table={changes} note="of iteration time first, then of the classes of the time budget" empty="No change that can be told from noise." />
      <List table={runs} note="in the order of the picture" empty="There are none." />
    </div>
  );
}

export function TrendPage() {
  const rank = useRank();
  const answer = useQuery<TrendAnswer, ApiError>({
    queryKey: ["/trend", rank],
    queryFn: ({ signal }) => getJson<TrendAnswer>("/trend", { rank }, signal),
    retry: false,
  });
  return (
    <Answered answer={{ ...answer, isPlaceholderData: false }} what="the trend" rows={8}>
      {(found) => <Trend answer={found} />}
    </Answered>
  );
}
