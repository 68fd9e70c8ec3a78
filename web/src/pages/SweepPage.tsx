// A sweep: throughput, latency and memory as curves, the line through the times, where throughput bends, and how layers, ops
// and kernels grow. The server answers as `opsight sweep FOLDER` does; a point opens the profile that it was recorded in.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCorrections, wrongChoice, type Correction } from "../address/corrections";
import { linkTo } from "../address/route";
import { useRoute, useSetParams } from "../address/useRoute";
import { getJson, type ApiError } from "../api/client";
import { useProfiles } from "../api/queries";
import type { Collection, SweepAnswer, SweepChanges, Table } from "../api/types";
import { DataTable } from "../table/DataTable";
import { amountTyped } from "../table/filters";
import type { TableProps } from "../table/props";
import { wholeRow, type Row } from "../table/row";
import { Card, Notes } from "../widgets/Card";
import { formatProbability } from "../widgets/format";
import { LineChart } from "../widgets/LineChart";
import { Answered, Empty, ErrorState } from "../widgets/states";
import { Tabs } from "../widgets/Tabs";
import { sentence } from "../widgets/words";
import { allAbove, byLatency, curvesAfter, curvesBefore, curvesOf, keyBefore, LATENCY, marksOf, measured, MEMORY, predictedOf, THROUGHPUT, ticksOf, tableOf, type Measure } from "./sweep/curves";
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

// What the address says of the curves; the same of a sweep that stands beside this one.
function useAsked() {
  const { params } = useRoute();
  return { x: params.get("x"), items: params.get("items"), work: params.get("work") };
}

function useSweepAnswer<T>(path: string, asked: Record<string, string | number | null>) {
  return useQuery<T, ApiError>({
    queryKey: [path, asked],
    queryFn: ({ signal }) => getJson<T>(path, asked, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  });
}

function useSweep(sweep: Collection) {
  const { params } = useRoute();
  const limits = {
    max_latency_ns: amountTyped(params.get("latency") ?? "", "ns"),
    max_memory_bytes: amountTyped(params.get("memory") ?? "", "bytes"),
  };
  return useSweepAnswer<SweepAnswer>(`/sweeps/${sweep.id}`, { ...useAsked(), ...limits });
}

const useChanges = (sweep: Collection, base: Collection) => useSweepAnswer<SweepChanges>(`/sweeps/${sweep.id}/changes`, { ...useAsked(), base: base.id });

// The sweep that this one is compared with, and its curves.
interface Before {
  name: string;
  after: string; // the name of this one
  answer: SweepAnswer;
}

interface CurveProps {
  answer: SweepAnswer;
  before: Before | undefined;
  measure: Measure;
  title: string;
  note?: string;
  span: 6 | 12;
  against?: "latency"; // instead of the value that is varied
}

function Curve({ answer, before, measure, title, note, span, against }: CurveProps) {
  const { params } = useRoute();
  const log = params.get("scale") === "logarithmic";
  const xOf = against ? byLatency : undefined;
  const own = before ? curvesAfter(answer, before.after, measure, xOf) : curvesOf(answer, measure, measure === LATENCY && !log, xOf);
  const beside = measure === LATENCY ? predictedOf(answer) : [];
  const series = [...own, ...(before ? curvesBefore(before.answer, before.name, measure, xOf) : []), ...beside];
  const points = series.flatMap((each) => each.points);
  if (points.length === 0) return null;
  const logX = log && allAbove(points.map((point) => point.x));
  return (
    <Card title={title} note={note} span={span}>
      <LineChart
        label={title}
        series={series}
        unit={measure.unit}
        xTicks={ticksOf(series, against ? LATENCY.unit : "none")}
        xTitle={against ? "latency" : answer.x}
        marks={measure === THROUGHPUT && !before && !against ? marksOf(answer) : []}
        scales={{ x: logX ? "log" : "linear", y: log ? "log" : "linear" }}
        choose={({ key }) => {
          const chosen = answer.points.find((point) => point.name === key) ?? before?.answer.points.find((point) => keyBefore(point.name) === key);
          const run = chosen?.profiles[0];
          if (run) window.location.hash = linkTo("dashboard", new URLSearchParams({ profile: run.profile }));
        }}
      />
    </Card>
  );
}

function Curves({ answer, before }: { answer: SweepAnswer; before: Before | undefined }) {
  const items = answer.items ? `items (${answer.items}) a second` : "iterations a second";
  const log = useRoute().params.get("scale") === "logarithmic";
  const fitted = !log && !before && curvesOf(answer, LATENCY, true).some((each) => each.fit);
  const both = { answer, before };
  const dotted = before ? `; dotted: ${before.name}` : "";
  const predicted = predictedOf(answer).length > 0 ? `${before ? " and" : "; dotted:"} the least that is predicted` : "";
  return (
    <>
      <Curve {...both} measure={THROUGHPUT} title="Throughput" note={items + dotted} span={6} />
      <Curve {...both} measure={LATENCY} title="Latency of an iteration" note={(fitted ? "dashed: the line through the times" : "medians of runs") + dotted + predicted} span={6} />
      <Curve {...both} measure={THROUGHPUT} against="latency" title="Throughput against latency" note={`what waiting longer buys${dotted}`} span={12} />
      <Curve {...both} measure={MEMORY} title="Memory" note={`allocated at most, on devices or else on the host; where that is not told what a process held${dotted}`} span={12} />
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

function Part({ table, title, note, of = "sweep", ...more }: { table: Table; title?: string; note?: string; of?: string } & Pick<TableProps, "actions" | "bars">) {
  return (
    <Card title={title ?? table.title} note={note}>
      <DataTable
        {...more}
        name={`${of}_${table.name}`}
        label={title ?? table.title}
        prefix={`${of === "sweep" ? "" : of}${table.name.replace("_", "")}.`}
        height="half"
        local={{ ...table, rows_in_all: table.rows.length, rows_matching: table.rows.length, notes: cutNote(table) }}
        rowKey={wholeRow}
        hide={emptyOf(table)}
        cell={(row, column) => {
          const p = ["p_of_line", "p"].includes(column.key) ? row.number(column.key) : null;
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

// What `opsight sweep --compare` says of the two.
function Changes({ sweep, base }: { sweep: Collection; base: Collection }) {
  const found = useChanges(sweep, base);
  const title = `What changed from ${base.name} to ${sweep.name}`;
  if (found.error && !found.error.lost) {
    return (
      <Card title={title}>
        {found.error.status === 400 ? (
          <p role="alert">
            They cannot be compared. {sentence(found.error.message)} {sentence(found.error.remedy ?? "")}
          </p>
        ) : (
          <ErrorState error={found.error} retry={() => void found.refetch()} />
        )}
      </Card>
    );
  }
  return (
    <>
      <Card title={title}>
        <Answered answer={found} what="what changed" rows={3}>
          {(changes) => <Notes notes={changes.notes} />}
        </Answered>
      </Card>
      {found.data?.tables.map((table) => <Part key={table.name} of="changed" table={table} note={`before: ${base.name}, after: ${sweep.name}`} />)}
    </>
  );
}

function Answers({ sweep, answer, base }: { sweep: Collection; answer: SweepAnswer; base: Collection | undefined }) {
  const table = (name: string) => tableOf(answer, name);
  const [points, best, fit, curve] = [table("points"), table("best"), table("fit"), table("curve")];
  return (
    <div className="cards">
      {base && <Changes key={base.id} sweep={sweep} base={base} />}
      <Card title={base ? `What ${sweep.name} shows by itself` : "What it shows"}>
        <Notes notes={answer.notes} />
      </Card>
      {best && <Part table={best} />}
      {base ? <CurvesOfBoth key={base.id} sweep={sweep} answer={answer} base={base} /> : <Curves answer={answer} before={undefined} />}
      {points && <Points answer={answer} table={points} />}
      {fit && <Part table={fit} />}
      {curve && <Part table={curve} />}
      <Parts answer={answer} />
    </div>
  );
}

// Where the other sweep cannot be shown, what changed says why, and this one stands alone.
function CurvesOfBoth({ sweep, answer, base }: { sweep: Collection; answer: SweepAnswer; base: Collection }) {
  const before = useSweep(base).data;
  return <Curves answer={answer} before={before && before.x === answer.x ? { name: base.name, after: sweep.name, answer: before } : undefined} />;
}

function Shown({ sweep, base }: { sweep: Collection; base: Collection | undefined }) {
  const answer = useSweep(sweep);
  if (answer.error && !answer.error.lost) {
    return (
      <>
        <Questions sweep={sweep} base={base} answer={undefined} />
        <ErrorState error={answer.error} {...(answer.error.status === 400 ? {} : { retry: () => void answer.refetch() })}>
          <a href={linkTo("sweep", new URLSearchParams(), { sweep: sweep.name })}>The sweep as it is by itself</a>
        </ErrorState>
      </>
    );
  }
  return (
    <>
      <Questions sweep={sweep} base={base} answer={answer.data} />
      <Answered answer={answer} what="the sweep" rows={12}>
        {(found) => <Answers sweep={sweep} answer={found} base={base} />}
      </Answered>
    </>
  );
}

export function SweepPage() {
  const { params } = useRoute();
  const sweeps = useProfiles().data?.sweeps ?? [];
  const sweep = sweeps.find((each) => each.name === params.get("sweep")) ?? sweeps[0];
  const others = sweeps.filter((each) => each !== sweep);
  const base = others.find((each) => each.name === params.get("base"));
  useCorrections([
    ...wrongChoice(params, "scale", SCALES, "kind of axes", "“linear”"),
    ...wrongLimits(params),
    ...(sweep ? wrongChoice(params, "sweep", sweeps.map((each) => each.name), "sweep", `“${sweep.name}”`) : []),
    ...wrongChoice(params, "base", others.map((each) => each.name), "other sweep", "none to compare with"),
  ]);
  if (sweep) return <Shown key={sweep.id} sweep={sweep} base={base} />;
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
