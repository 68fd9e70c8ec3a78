// Two runs, side by side. What differs is the task of a later view; here one picks them and sees their key figures.
import { useQuery } from "@tanstack/react-query";
import { getJson, type ApiError } from "../api/client";
import { useProfiles } from "../api/queries";
import type { Profile, SummaryAnswer } from "../api/types";
import { linkTo } from "../app/route";
import { useProfileId, useRoute, useSetParams } from "../app/useRoute";
import { Card } from "../widgets/Card";
import type { Unit } from "../widgets/format";
import { Num } from "../widgets/Num";
import { Answered, Empty } from "../widgets/states";

type Read = (answer: SummaryAnswer) => number | null;

const FIGURES: readonly [string, Unit, Read][] = [
  ["Wall clock", "ns", ({ summary }) => summary.wall_clock_ns],
  ["Iterations in the range", "count", ({ summary }) => summary.iterations.selected],
  ["Mean iteration", "ns", ({ summary }) => summary.iterations.mean_ns],
  ["Deviation of the iteration", "ns", ({ summary }) => summary.iterations.stddev_ns],
  ["GPU utilization", "percent", ({ summary }) => summary.gpu_utilization_pct],
  ["Tensor Core efficiency", "percent", ({ summary }) => summary.tensor_core_efficiency_pct],
  ["Tensor Core kernels", "percent", ({ summary }) => summary.tensor_core_kernel_pct],
  ["Other kernels", "percent", ({ summary }) => summary.non_tensor_core_kernel_pct],
  ["Communication", "percent", ({ summary }) => summary.communication_pct],
  ["Copies and sets", "percent", ({ summary }) => summary.memory_pct],
  ["Data loading", "percent", ({ summary }) => summary.dataloader_pct],
  ["CPU", "percent", ({ summary }) => summary.cpu_pct],
  ["Other", "percent", ({ summary }) => summary.other_pct],
];

const useSummaryOf = (id: string) =>
  useQuery<SummaryAnswer, ApiError>({
    queryKey: [`/profiles/${id}/summary`, {}],
    queryFn: ({ signal }) => getJson<SummaryAnswer>(`/profiles/${id}/summary`, {}, signal),
  });

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

function Figures({ left, right }: { left: SummaryAnswer; right: SummaryAnswer }) {
  return (
    <div className="table-wrap">
      <table className="compare">
        <thead>
          <tr>
            <th scope="col">
              <span className="cell-head">Figure</span>
            </th>
            <th scope="col" className="number">
              <span className="cell-head">First run</span>
            </th>
            <th scope="col" className="number">
              <span className="cell-head">Second run</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {FIGURES.map(([name, unit, read]) => (
            <tr key={name}>
              <td>{name}</td>
              <td className="number">
                <Num value={read(left)} unit={unit} />
              </td>
              <td className="number">
                <Num value={read(right)} unit={unit} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Runs({ list, first, second }: { list: readonly Profile[]; first: string; second: string }) {
  const setParams = useSetParams();
  const { params } = useRoute();
  const left = useSummaryOf(first);
  const right = useSummaryOf(second);
  return (
    <Card title="Two runs" note="each over its own default range">
      <div className="toolbar">
        <Picker
          label="First"
          list={list}
          value={first}
          choose={(id) => {
            setParams({ profile: id });
          }}
        />
        <Picker
          label="Second"
          list={list}
          value={second}
          choose={(id) => {
            setParams({ with: id });
          }}
        />
        <div className="toolbar-end">
          <a href={linkTo("dashboard", new URLSearchParams({ profile: first }))}>Open the first</a>
          <a href={linkTo("dashboard", new URLSearchParams({ profile: second }))} hidden={params.get("with") === first}>
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
  const other = profiles.find((profile) => profile.id !== first)?.id;
  if (other === undefined) {
    return (
      <Empty icon="compare" title="One run alone cannot be compared">
        <p>
          Start the viewer with several files: <code>opsight view before.opsight after.opsight</code>
        </p>
      </Empty>
    );
  }
  const wanted = params.get("with");
  const second = profiles.find((profile) => profile.id === wanted)?.id ?? other;
  return (
    <div className="cards">
      <Runs list={profiles} first={first} second={second} />
    </div>
  );
}
