import { useProfile, useSummary } from "../api/queries";
import { DataTable } from "../table/DataTable";
import { Card } from "../widgets/Card";
import { Num } from "../widgets/Num";
import { Answered, Empty } from "../widgets/states";

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
            <Card title="Collectives" note="by rank and kind">
              <DataTable
                name="communication"
                label="Collectives"
                columns={[]}
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
