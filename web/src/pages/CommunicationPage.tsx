import { useDeviceWork, useInfo, useProfile, useSummary } from "../api/queries";
import { DataTable } from "../table/DataTable";
import type { Summary } from "../api/types";
import { wholeRow, type Row } from "../table/row";
import { Card } from "../widgets/Card";
import { formatCount } from "../widgets/format";
import { Num } from "../widgets/Num";
import { Answered, Empty } from "../widgets/states";
import { SelectTable } from "../table/SelectTable";
import { HeatMap } from "./ranks/HeatMap";
import { Late } from "./ranks/Late";
import { Missing } from "./ranks/Missing";
import { Scatter } from "./ranks/Scatter";
import { useRank, useRoute } from "../address/useRoute";
import { linkTo } from "../address/route";
import { Icon } from "../widgets/Icon";
import { LeftOutOfOneRank } from "../widgets/OfAllRanks";

const placeKey = (row: Row): string => `${row.text("rank") ?? ""}~${row.text("device") ?? ""}`;
const DRAWN = { page_size: 1000 }; // rows as marks


function Devices() {
  return (
    <Card title="By device" note="work that computes hides communication; the rest is exposed">
      <DataTable
        name="overlap"
        label="Communication by device"
        prefix="d."
        height="half"
        bars={{ communication_ns: "communication", overlap_pct: "gpu" }}
        rowKey={placeKey}
        empty="No device communicated in this range."
      />
    </Card>
  );
}

function Collectives() {
  return (
    <Card title="Communication by operation, group and size" note="which rank came last, what waiting for it cost, and how fast the data moved">
      <Scatter table="collectives" params={DRAWN} />
      <DataTable
        name="collectives"
        label="Communication over the ranks"
        prefix="c."
        height="half"
        bars={{ total_gpu_time_ns: "communication", waiting_pct: "idle" }}
        rowKey={wholeRow}
        empty="No communication was recorded in this range."
      />
    </Card>
  );
}

function AllRanks() {
  const { params } = useRoute();
  return (
    <a className="button small" href={linkTo("ranks", params)}>
      All of the ranks
    </a>
  );
}

// The place of a collective in the timeline: from its first member's begin to its end.
function InTimeline({ row }: { row: Row }) {
  const { params } = useRoute();
  const [begin, end] = [row.number("first_begin_ns"), row.number("end_ns")];
  if (begin === null || end === null) return null;
  const margin = Math.round((end - begin) / 2) + 1000;
  const href = linkTo("timeline", params, { begin: Math.max(0, begin - margin), end: end + margin, call: row.text("call") });
  return (
    <a className="button small" href={href}>
      <Icon name="timeline" size={14} /> Show across ranks
    </a>
  );
}

// Each collective or pair of a send and a receive, and of the selected one what each rank did of it. `drawn`: with its marks, where no other table has them.
function Calls({ drawn }: { drawn: boolean }) {
  return (
    <Card title="Each operation" note="one row for all of its ranks; select one for its members">
      {drawn && <Scatter table="collective_calls" params={DRAWN} />}
      <SelectTable
        name="collective_calls"
        label="Each operation"
        prefix="e."
        height="half"
        keys={["call"]}
        selectAs="call"
        title={(row) => `${row.word("collective") ?? "Operation"} ${row.text("call") ?? ""}`}
        bars={{ waiting_ns: "idle", transfer_ns: "communication" }}
        detailActions={(row) => <InTimeline row={row} />}
        below={(call) => (
          <DataTable
            name="collective_members"
            label="Members of the selected operation"
            prefix="m."
            height="half"
            only={[`call:eq:${call}`]}
            hide={["call", "track"]}
            bars={{ waiting_ns: "idle", transfer_ns: "communication" }}
            rowKey={wholeRow}
          />
        )}
        empty="No communication was recorded in this range."
      />
    </Card>
  );
}

function Groups() {
  return (
    <Card title="Process groups" note="what each is for is guessed from its pattern; the evidence stands beside it">
      <DataTable name="groups" label="Process groups" prefix="g." height="half" bars={{ waiting_pct: "idle" }} rowKey={wholeRow} empty="No process group communicated in this range." />
      <Missing />
    </Card>
  );
}

function Figures({ summary }: { summary: Summary }) {
  const rank = useRank();
  const figures = [
    ["Communicating", summary.communication_ns, "ns"],
    ["Hidden by computation", summary.communication_overlap_pct, "percent"],
    ["Exposed", summary.exposed_communication_ns, "ns"],
    ["Of the wall clock, alone", summary.communication_pct, "percent"],
  ] as const;
  return (
    <Card title="Communication" note={`of devices, ${rank === null ? "over all ranks of" : `of rank ${String(rank)} in`} the range`}>
      <dl className="figures">
        {figures.map(([name, value, unit]) => (
          <div key={name} className="figure">
            <dt>{name}</dt>
            <dd>
              <Num value={value} unit={unit} />
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

// What only devices have.
function OfDevices() {
  return (
    <>
      <Devices />
      <Card title="Kernels of communication" note="by rank and kind">
        <DataTable
          name="communication"
          label="Kernels of communication"
          bars={{ total_gpu_time_ns: "communication" }}
          rowKey={wholeRow}
          empty="No communication was recorded in this range."
        />
      </Card>
    </>
  );
}

export function CommunicationPage() {
  const profile = useProfile();
  const counts = useInfo().data?.counts;
  const [outside, messages] = [counts?.communication_kernels ?? 0, counts?.messages ?? 0];
  const { params } = useRoute();
  const onDevices = useDeviceWork();
  const several = (profile?.ranks ?? 1) > 1;
  const all = useRank() === null;
  return (
    <Answered answer={useSummary()} what="communication" rows={8}>
      {({ summary }) =>
        (summary.communication_ns ?? 0) > 0 || several ? (
          <div className="cards">
            <LeftOutOfOneRank what="Process groups and the collectives of their ranks" />
            {onDevices && <Figures summary={summary} />}
            {several ? (
              <Card title="Ranks by iteration" note="where ranks wait for each other, and what the others do meanwhile" action={all && <AllRanks />}>
                <Late />
                <HeatMap />
              </Card>
            ) : (
              <p className="callout span-12" role="note">
                One rank only: what it waits for others cannot be told from the moving of data. Record or import all ranks together, with{" "}
                <code>opsight profile -- torchrun …</code> or <code>opsight import -o run.opsight traces/</code>.
              </p>
            )}
            {all && <Groups />}
            {all && onDevices && <Collectives />}
            {all && <Calls drawn={!onDevices} />}
            {onDevices && <OfDevices />}
          </div>
        ) : outside > 0 ? (
          <Empty icon="network" title="No communication in this range">
            All {outside} kernels of communication lie outside of the chosen iterations.
          </Empty>
        ) : messages > 0 ? (
          <Empty icon="network" title="No communication of devices in this profile">
            The host called MPI or UCX {formatCount(messages)} times: <a href={linkTo("recorded", params, { tab: "messages" })}>what it sent and received</a>.
          </Empty>
        ) : (
          <Empty icon="network" title="No communication in this profile">
            Record or import all ranks together to see collectives, their overlap with computation, and which rank comes last:
            <p>
              <code>opsight profile -o run.opsight -- torchrun --nproc-per-node 8 train.py</code>
            </p>
            <p>
              <code>opsight import -o run.opsight traces/</code>
            </p>
          </Empty>
        )
      }
    </Answered>
  );
}
