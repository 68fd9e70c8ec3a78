import { useMemo } from "react";
import { useCommunication, useProfile, useSummary } from "../api/queries";
import type { Column, CommunicationAnswer } from "../api/types";
import { DataTable } from "../table/DataTable";
import { localTable } from "../table/local";
import type { Row } from "../table/row";
import { Card } from "../widgets/Card";
import type { Cell } from "../widgets/format";
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

const OVERLAP: Column[] = [
  { key: "rank", header: "Rank", unit: "count", role: "id" },
  { key: "device", header: "Device ID", unit: "count", role: "id" },
  { key: "communication_ns", header: "Communicating (ns)", unit: "ns" },
  { key: "overlap_ns", header: "Hidden (ns)", unit: "ns" },
  { key: "exposed_ns", header: "Exposed (ns)", unit: "ns" },
  { key: "overlap_pct", header: "Hidden (%)", unit: "percent" },
];

function Overlap({ answer }: { answer: CommunicationAnswer }) {
  const { devices, range } = answer;
  const table = useMemo(() => localTable("overlap", OVERLAP, devices as unknown as Record<string, Cell>[], range), [devices, range]);
  return (
    <DataTable
      name="overlap"
      label="Communication by device"
      prefix="d."
      height="half"
      local={table}
      columns={OVERLAP.map((column) => column.key)}
      bars={{ communication_ns: "communication", overlap_pct: "gpu" }}
      rowKey={placeKey}
      empty="No device communicated in this range."
    />
  );
}

const placeKey = (row: Row): string => `${row.text("rank") ?? ""}~${row.text("device") ?? ""}`;

function Devices() {
  return (
    <Card title="By device" note="work that computes hides communication; the rest is exposed">
      <Answered answer={useCommunication()} what="the devices">
        {(answer) => <Overlap answer={answer} />}
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
