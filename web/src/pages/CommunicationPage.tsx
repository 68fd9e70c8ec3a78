import { useInfo, useProfile, useSummary } from "../api/queries";
import { DataTable } from "../table/DataTable";
import type { Row } from "../table/row";
import { Card } from "../widgets/Card";
import { Num } from "../widgets/Num";
import { Answered, Empty } from "../widgets/states";

const placeKey = (row: Row): string => `${row.text("rank") ?? ""}~${row.text("device") ?? ""}`;
const wholeRow = (row: Row): string => row.cells.join("~");

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
    <Card title="Collectives over the ranks" note="which rank came last, what waiting for it cost, and how fast the data moved">
      <DataTable
        name="collectives"
        label="Collectives over the ranks"
        prefix="c."
        height="half"
        bars={{ total_gpu_time_ns: "communication", waiting_pct: "idle" }}
        rowKey={wholeRow}
        empty="No collective was recorded in this range."
      />
    </Card>
  );
}

export function CommunicationPage() {
  const profile = useProfile();
  const outside = useInfo().data?.counts.communication_kernels ?? 0;
  return (
    <Answered answer={useSummary()} what="communication" rows={8}>
      {({ summary }) =>
        (summary.communication_ns ?? 0) > 0 || (profile?.ranks ?? 1) > 1 ? (
          <div className="cards">
            <Card title="Communication" note="over all ranks of the range">
              <dl className="figures">
                <div className="figure">
                  <dt>Communicating</dt>
                  <dd>
                    <Num value={summary.communication_ns} unit="ns" />
                  </dd>
                </div>
                <div className="figure">
                  <dt>Hidden by computation</dt>
                  <dd>
                    <Num value={summary.communication_overlap_pct} unit="percent" />
                  </dd>
                </div>
                <div className="figure">
                  <dt>Exposed</dt>
                  <dd>
                    <Num value={summary.exposed_communication_ns} unit="ns" />
                  </dd>
                </div>
                <div className="figure">
                  <dt>Of the wall clock, alone</dt>
                  <dd>
                    <Num value={summary.communication_pct} unit="percent" />
                  </dd>
                </div>
              </dl>
            </Card>
            <Devices />
            <Collectives />
            <Card title="Kernels of communication" note="by rank and kind">
              <DataTable
                name="communication"
                label="Kernels of communication"
                bars={{ total_gpu_time_ns: "communication" }}
                rowKey={wholeRow}
                empty="No collective was recorded in this range."
              />
            </Card>
          </div>
        ) : outside > 0 ? (
          <Empty icon="network" title="No communication in this range">
            All {outside} kernels of communication lie outside of the chosen iterations.
          </Empty>
        ) : (
          <Empty icon="network" title="No communication in this profile">
            Import the traces of all ranks together to see collectives, their overlap with computation, and which rank comes last:
            <p>
              <code>opsight import -o run.opsight traces/</code>
            </p>
          </Empty>
        )
      }
    </Answered>
  );
}
