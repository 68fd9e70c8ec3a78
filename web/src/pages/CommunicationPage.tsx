import { useCommunication, useProfile, useSummary } from "../api/queries";
import { DataTable } from "../table/DataTable";
import { Card } from "../widgets/Card";
import { Num } from "../widgets/Num";
import { Answered, Empty } from "../widgets/states";

const COLLECTIVES = [
  "collective",
  "rank",
  "device",
  "calls",
  "total_gpu_time_ns",
  "avg_gpu_time_ns",
  "max_gpu_time_ns",
  "dtype",
  "in_elements",
  "out_elements",
  "group",
  "group_size",
];

function Devices() {
  return (
    <Card title="By device" note="work that computes hides communication; the rest is exposed">
      <Answered answer={useCommunication()} what="the devices">
        {({ devices }) => {
          const most = Math.max(0, ...devices.map((device) => device.communication_ns));
          return (
            <table className="mini wide">
              <thead>
                <tr>
                  <th scope="col">Device</th>
                  {["Communicating", "Hidden", "Exposed", "Hidden %"].map((head) => (
                    <th key={head} scope="col" className="number">
                      {head}
                    </th>
                  ))}
                  <th scope="col" className="bars">
                    <span className="sr-only">As a bar</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {devices.map((device) => (
                  <tr key={`${String(device.rank)} ${String(device.device)}`}>
                    <td className="name">
                      Rank {device.rank}, GPU {device.device}
                    </td>
                    <td className="number">
                      <Num value={device.communication_ns} unit="ns" />
                    </td>
                    <td className="number">
                      <Num value={device.overlap_ns} unit="ns" />
                    </td>
                    <td className="number">
                      <Num value={device.exposed_ns} unit="ns" />
                    </td>
                    <td className="number">
                      <Num value={device.overlap_pct} unit="percent" />
                    </td>
                    <td className="bars">
                      <span className="stacked">
                        <span className="c-gpu" style={{ width: `${String((device.overlap_ns / most) * 100)}%` }} />
                        <span className="c-communication" style={{ width: `${String((device.exposed_ns / most) * 100)}%` }} />
                      </span>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          );
        }}
      </Answered>
    </Card>
  );
}

export function CommunicationPage() {
  const profile = useProfile();
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
            <Card title="Collectives" note="by rank and kind">
              <DataTable
                name="communication"
                label="Collectives"
                columns={COLLECTIVES}
                bars={{ total_gpu_time_ns: "communication" }}
                rowKey={(row) => row.cells.join("~")}
                empty="No collective was recorded in this range."
              />
            </Card>
          </div>
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
