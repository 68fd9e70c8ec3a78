// A sweep: throughput, latency and memory as curves, the line through the times, where throughput bends, and how layers, ops
// and kernels grow. The server answers as `opsight sweep FOLDER` does; a point opens the profile that it was recorded in.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCorrections, wrongChoice, type Correction } from "../address/corrections";
import { linkTo } from "../address/route";
import { useRoute, useSetParams } from "../address/useRoute";
import { getJson, type ApiError } from "../api/client";
import { useProfiles } from "../api/queries";
import type { Collection, SweepAnswer, Table } from "../api/types";
import { DataTable } from "../table/DataTable";
import { amountTyped } from "../table/filters";
import type { TableProps } from "../table/props";
import { wholeRow, type Row } from "../table/row";
import { Card, Notes } from "../widgets/Card";
import { formatProbability } from "../widgets/format";
import { LineChart } from "../widgets/LineChart";
import { Answered, Empty, ErrorState } from "../widgets/states";
import { Tabs } from "../widgets/Tabs";
import { allAbove, curvesOf, LATENCY, marksOf, measured, MEMORY, THROUGHPUT, ticksOf, tableOf, type Measure } from "./sweep/curves";
import { Questions } from "./sweep/Questions";

const SCALES = ["linear", "logarithmic"];
const PARTS = [
  { id: "growth", title: "Growth" },
  { id: "layers", title: "Layers" },
  { id: "op_types", title: "Op types" },
  { id: "ops", title: "Ops" },
  { id: "kernels", title: "Kernels" },
  { id: "counted", title: "Counted FLOPs" },
] as const;

// Limits that are not one.
function wrongLimits(params: URLSearchParams): Correction[] {
  return ([["latency", "ns", "a time, as 200ms is"], ["memory", "bytes", "a size, as 4GiB is"]] as const).flatMap(([key, unit, is]) => {
    const given = params.get(key);
    return given === null || amountTyped(given, unit) !== null ? [] : [{ key, to: null, text: `“${given}” is not ${is}: no limit is set.` }];
  });
}

function useSweep(sweep: Collection) {
  const { params } = useRoute();
  const asked = {
    x: params.get("x"),
    items: params.get("items"),
    work: params.get("work"),
    max_latency_ns: amountTyped(params.get("latency") ?? "", "ns"),
    max_memory_bytes: amountTyped(params.get("memory") ?? "", "bytes"),
  };
  return useQuery<SweepAnswer, ApiError>({
    queryKey: [`/sweeps/${sweep.id}`, asked],
    queryFn: ({ signal }) => getJson<SweepAnswer>(`/sweeps/${sweep.id}`, asked, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  });
}

function Curve({ answer, measure, title, note, span }: { answer: SweepAnswer; measure: Measure; title: string; note?: string; span: 6 | 12 }) {
  const { params } = useRoute();
  const log = params.get("scale") === "logarithmic";
  const series = curvesOf(answer, measure, measure === LATENCY && !log);
  const points = series.flatMap((each) => each.points);
  if (points.length === 0) return null;
  const logX = log && allAbove(points.map((point) => point.x));
  return (
    <Card title={title} note={note} span={span}>
      <LineChart
        label={title}
        series={series}
        unit={measure.unit}
        xTicks={ticksOf(series)}
        xTitle={answer.x}
        marks={measure === THROUGHPUT ? marksOf(answer) : []}
        scales={{ x: logX ? "log" : "linear", y: log ? "log" : "linear" }}
        choose={({ key }) => {
          const run = answer.points.find((point) => point.name === key)?.profiles[0];
          if (run) window.location.hash = linkTo("dashboard", new URLSearchParams({ profile: run.profile }));
        }}
      />
    </Card>
  );
}

function Curves({ answer }: { answer: SweepAnswer }) {
  const items = answer.items ? `items (${answer.items}) a second` : "iterations a second";
  const log = useRoute().params.get("scale") === "logarithmic";
  const fitted = !log && curvesOf(answer, LATENCY, true).some((each) => each.fit);
  return (
    <>
      <Curve answer={answer} measure={THROUGHPUT} title="Throughput" note={items} span={6} />
      <Curve answer={answer} measure={LATENCY} title="Latency of an iteration" note={fitted ? "dashed: the line through the times" : "medians of runs"} span={6} />
      <Curve answer={answer} measure={MEMORY} title="Memory" note="allocated at most, on devices or else on the host; where that is not told what a process held" span={12} />
    </>
  );
}

const MOST_LINKS = 5;

// The runs of a point that can be opened.
function Profiles({ answer, name }: { answer: SweepAnswer; name: string }) {
  const runs = answer.points.find((point) => point.name === name)?.profiles ?? [];
  return (
    <span className="sweep-runs">
      {runs.slice(0, MOST_LINKS).map(({ run, profile }) => (
        <a key={profile} className="link" href={linkTo("dashboard", new URLSearchParams({ profile }))} aria-label={`Run ${String(run)} of ${name}`} title={`Open the profile of run ${String(run)}`}>
          {run}
        </a>
      ))}
    </span>
  );
}

function Points({ answer, table }: { answer: SweepAnswer; table: Table }) {
  const names = new Map(measured(answer).map(({ point, row }) => [wholeRow(row), point.name]));
  const nameOf = (row: Row) => names.get(wholeRow(row)) ?? "";
  const any = answer.points.some((point) => point.profiles.length > 0);
  return (
    <Part
      table={table}
      title="Points"
      note={any ? "medians of runs; the numbers at the end of a row open its runs" : "medians of runs; none of their profiles is here"}
      {...(any ? { actions: (row: Row) => <Profiles answer={answer} name={nameOf(row)} /> } : {})}
    />
  );
}

function Part({ table, title, note, ...more }: { table: Table; title?: string; note?: string } & Pick<TableProps, "actions" | "bars">) {
  return (
    <Card title={title ?? table.title} note={note}>
      <DataTable
        {...more}
        name={`sweep_${table.name}`}
        label={title ?? table.title}
        prefix={`${table.name.replace("_", "")}.`}
        height="half"
        local={{ ...table, rows_in_all: table.rows.length, rows_matching: table.rows.length, notes: cutNote(table) }}
        rowKey={wholeRow}
        hide={emptyOf(table)}
        cell={(row, column) => {
          const p = column.key === "p_of_line" ? row.number(column.key) : null;
          return p === null ? undefined : formatProbability(p);
        }}
      />
    </Card>
  );
}

// Of one series its name says nothing, and neither does a column without a value.
const emptyOf = (table: Table): string[] => table.columns.filter((_, at) => table.rows.every((row) => [null, "", undefined].includes(row[at] as string | null | undefined))).map((column) => column.key);

// What the server left out.
const cutNote = (table: Table): string[] => [...(table.notes ?? []), ...(table.rows_in_all > table.rows.length ? [`the first ${String(table.rows.length)} of ${String(table.rows_in_all)} rows; opsight sweep has all of them`] : [])];

function Parts({ answer }: { answer: SweepAnswer }) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const tabs = PARTS.filter(({ id }) => tableOf(answer, id));
  useCorrections(wrongChoice(params, "tab", tabs.map(({ id }) => id), "tab", `“${tabs[0]?.title ?? ""}”`));
  const tab = tabs.find(({ id }) => id === params.get("tab")) ?? tabs[0];
  const table = tab && tableOf(answer, tab.id);
  if (!table) return null;
  return (
    <div className="span-12">
      <Tabs
        label="Parts of an iteration"
        tabs={tabs}
        chosen={tab.id}
        choose={(id) => {
          setParams({ tab: id });
        }}
      >
        <Part key={tab.id} table={table} bars={tab.id === "growth" ? { share_pct: "gpu" } : {}} />
      </Tabs>
    </div>
  );
}

function Answers({ answer }: { answer: SweepAnswer }) {
  const table = (name: string) => tableOf(answer, name);
  const [points, best, fit, curve] = [table("points"), table("best"), table("fit"), table("curve")];
  return (
    <div className="cards">
      <Card title="What it shows">
        <Notes notes={answer.notes} />
      </Card>
      {best && <Part table={best} />}
      <Curves answer={answer} />
      {points && <Points answer={answer} table={points} />}
      {fit && <Part table={fit} />}
      {curve && <Part table={curve} />}
      <Parts answer={answer} />
    </div>
  );
}

function Shown({ sweep }: { sweep: Collection }) {
  const answer = useSweep(sweep);
  if (answer.error && !answer.error.lost) {
    return (
      <>
        <Questions sweep={sweep} answer={undefined} />
        <ErrorState error={answer.error} {...(answer.error.status === 400 ? {} : { retry: () => void answer.refetch() })}>
          <a href={linkTo("sweep", new URLSearchParams(), { sweep: sweep.name })}>The sweep as it is by itself</a>
        </ErrorState>
      </>
    );
  }
  return (
    <>
      <Questions sweep={sweep} answer={answer.data} />
      <Answered answer={answer} what="the sweep" rows={12}>
        {(found) => <Answers answer={found} />}
      </Answered>
    </>
  );
}

export function SweepPage() {
  const { params } = useRoute();
  const sweeps = useProfiles().data?.sweeps ?? [];
  const sweep = sweeps.find((each) => each.name === params.get("sweep")) ?? sweeps[0];
  useCorrections([
    ...wrongChoice(params, "scale", SCALES, "kind of axes", "“linear”"),
    ...wrongLimits(params),
    ...(sweep ? wrongChoice(params, "sweep", sweeps.map((each) => each.name), "sweep", `“${sweep.name}”`) : []),
  ]);
  if (sweep) return <Shown key={sweep.id} sweep={sweep} />;
  return (
    <Empty icon="sweep" title="No sweep is open">
      A sweep runs a program over values of its parameters, and this view shows the curves.
      <p>
        <code>{"opsight sweep --vary batch=8,16,32 -o sweeps/vgg -- python3 vgg.py --batch {batch}"}</code>
      </p>
      <p>
        <code>opsight view sweeps/vgg</code>
      </p>
    </Empty>
  );
}
