// Two runs, side by side. What differs is the task of a later view; here one picks them and sees their key figures.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { getJson, type ApiError } from "../api/client";
import { profileNamed, useProfileId, useProfiles } from "../api/queries";
import type { Column, Profile, SummaryAnswer } from "../api/types";
import { useCorrections } from "../address/corrections";
import { linkTo } from "../address/route";
import { useRange, useRoute, useSetParams } from "../address/useRoute";
import { DataTable } from "../table/DataTable";
import { localTable } from "../table/local";
import { Card } from "../widgets/Card";
import type { Unit } from "../widgets/format";
import { Num } from "../widgets/Num";
import { Answered, Empty } from "../widgets/states";
import { shareOf } from "./dashboard/parts";

type Read = (answer: SummaryAnswer) => number | null;

const FIGURES: readonly [string, Unit, Read][] = [
  ["First iteration", "count", ({ range }) => range.start],
  ["Last iteration", "count", ({ range }) => range.stop],
  ["Wall clock", "ns", ({ summary }) => summary.wall_clock_ns],
  ["Iterations in the range", "count", ({ summary }) => summary.iterations.selected],
  ["Average iteration time", "ns", ({ summary }) => summary.iterations.avg_iteration_time_ns],
  ["Deviation of the iteration", "ns", ({ summary }) => summary.iterations.stddev_ns],
  ["GPU utilization", "percent", ({ summary }) => summary.gpu_utilization_pct],
  ["Tensor Core use of eligible kernels", "percent", ({ summary }) => summary.tensor_core_efficiency_pct],
  ["Tensor Core kernels", "percent", ({ summary }) => shareOf(summary, "tensor_core_kernel_pct")],
  ["Kernels of unknown Tensor Core use", "percent", ({ summary }) => shareOf(summary, "unknown_kernel_pct")],
  ["Kernels without Tensor Cores", "percent", ({ summary }) => shareOf(summary, "non_tensor_core_kernel_pct")],
  ["Communication", "percent", ({ summary }) => shareOf(summary, "communication_pct")],
  ["Copies and sets", "percent", ({ summary }) => shareOf(summary, "memory_pct")],
  ["Data loading", "percent", ({ summary }) => shareOf(summary, "dataloader_pct")],
  ["CPU alone", "percent", ({ summary }) => shareOf(summary, "cpu_pct")],
  ["Python and other host time", "percent", ({ summary }) => shareOf(summary, "host_pct")],
  ["Idle or not recorded", "percent", ({ summary }) => shareOf(summary, "idle_pct")],
];

const useSummaryOf = (id: string, range: Record<string, string>, enabled = true) =>
  useQuery<SummaryAnswer, ApiError>({
    queryKey: [`/profiles/${id}/summary`, range],
    queryFn: ({ signal }) => getJson<SummaryAnswer>(`/profiles/${id}/summary`, range, signal),
    retry: false,
    enabled,
  });

const WHOLE = {};

// The chosen range in both runs, as far as the second has it.
function useTwo(first: string, second: string) {
  const range = useRange();
  const left = useSummaryOf(first, range);
  const asked = useSummaryOf(second, range);
  const refused = asked.error?.status === 400 || asked.error?.status === 422;
  const otherwise = Object.keys(range).length > 0 && refused;
  const own = useSummaryOf(second, WHOLE, otherwise);
  return { left, right: otherwise ? own : asked, otherwise };
}

function Picker({ label, list, value, choose }: { label: string; list: readonly Profile[]; value: string; choose: (id: string) => void }) {
  return (
    <label className="inline-label">
      {label}
      <select
        value={value}
        onChange={(event) => {
          choose(event.target.value);
        }}
      >
        {list.map((profile) => (
          <option key={profile.id} value={profile.id}>
            {profile.name}
          </option>
        ))}
      </select>
    </label>
  );
}

const COLUMNS: Column[] = [
  { key: "figure", header: "Figure", unit: "none" },
  { key: "first", header: "First run", unit: "none", role: "number" },
  { key: "second", header: "Second run", unit: "none", role: "number" },
  { key: "unit", header: "Unit", unit: "none" },
];
const UNITS = new Map(FIGURES.map(([name, unit]) => [name, unit]));
const SHOWN_UNITS: Partial<Record<Unit, string>> = { ns: "ns", percent: "%", count: "count" };

function Figures({ left, right }: { left: SummaryAnswer; right: SummaryAnswer }) {
  const table = useMemo(
    () =>
      localTable(
        "compare",
        COLUMNS,
        FIGURES.map(([figure, unit, read]) => ({ figure, first: read(left), second: read(right), unit: SHOWN_UNITS[unit] ?? "" })),
        left.range,
      ),
    [left, right],
  );
  return (
    <DataTable
      name="compare"
      label="Two runs"
      height="free"
      local={table}
      columns={["figure", "first", "second"]}
      rowKey={(row) => row.text("figure") ?? ""}
      cell={(row, column) =>
        column.key === "first" || column.key === "second" ? <Num value={row.number(column.key)} unit={UNITS.get(row.text("figure") ?? "") ?? "none"} /> : undefined
      }
    />
  );
}

function Runs({ list, first, second }: { list: readonly Profile[]; first: string; second: string }) {
  const setParams = useSetParams();
  const nameOf = (id: string) => list.find((profile) => profile.id === id)?.name ?? "";
  const { left, right, otherwise } = useTwo(first, second);
  const chosen = Object.keys(useRange()).length > 0;
  return (
    <Card title="Two runs" note={otherwise ? "the second over its own default range: it does not have the chosen one" : chosen ? "both over the chosen range" : "each over its own default range"}>
      <div className="toolbar">
        <Picker
          label="First"
          list={list}
          value={first}
          choose={(id) => {
            setParams({ profile: nameOf(id) });
          }}
        />
        <Picker
          label="Second"
          list={list}
          value={second}
          choose={(id) => {
            setParams({ with: nameOf(id) });
          }}
        />
        <div className="toolbar-end">
          <a href={linkTo("dashboard", new URLSearchParams({ profile: nameOf(first) }))}>Open the first</a>
          <a href={linkTo("dashboard", new URLSearchParams({ profile: nameOf(second) }))} hidden={second === first}>
            Open the second
          </a>
        </div>
      </div>
      <Answered answer={{ ...left, isPlaceholderData: false }} what="the first run">
        {(leftAnswer) => (
          <Answered answer={{ ...right, isPlaceholderData: false }} what="the second run">
            {(rightAnswer) => <Figures left={leftAnswer} right={rightAnswer} />}
          </Answered>
        )}
      </Answered>
    </Card>
  );
}

export function ComparePage() {
  const profiles = useProfiles().data?.profiles.filter((profile) => profile.state === "ok") ?? [];
  const first = useProfileId();
  const { params } = useRoute();
  const other = profiles.find((profile) => profile.id !== first);
  const wanted = params.get("with");
  const missing = wanted !== null && other !== undefined && !profileNamed(profiles, wanted);
  useCorrections(missing ? [{ key: "with", to: null, text: `The run “${wanted}” is not here: ${other.name} is shown beside the first.` }] : []);
  if (other === undefined) {
    return (
      <Empty icon="compare" title="One run alone cannot be compared">
        <p>
          Start the viewer with several files: <code>opsight view before.opsight after.opsight</code>
        </p>
      </Empty>
    );
  }
  const second = (wanted === null ? undefined : profileNamed(profiles, wanted)?.id) ?? other.id;
  return (
    <div className="cards">
      <Runs list={profiles} first={first} second={second} />
    </div>
  );
}
