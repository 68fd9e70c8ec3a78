import { useInfo } from "../api/queries";
import { DataTable } from "../table/DataTable";
import { Card } from "../widgets/Card";
import { formatBytes, formatCount } from "../widgets/format";
import { Answered } from "../widgets/states";

const words = (key: string) => key.replace(/_(bytes|hz)$/, "").replace(/_/g, " ");

// Sizes and rates in the units that people read.
function property(key: string, value: string): string {
  if (!/^\d+$/.test(value)) return value;
  if (key.endsWith("_bytes")) return formatBytes(Number(value));
  return key.endsWith("_hz") ? `${formatCount(Number(value) / 1e6)} MHz` : value;
}

export function DiagnosticsPage() {
  return (
    <div className="cards">
      <Card title="Oddities of the recording" note="each counted, none dropped silently">
        <DataTable
          name="diagnostics"
          label="Diagnostics"
          height="half"
          rowKey={(row) => row.text("key") ?? ""}
          empty="None: all of the recording could be used."
        />
      </Card>
      <Answered answer={useInfo()} what="what the profile holds">
        {(info) => (
          <div className="cards span-12">
            <Card title="What was recorded" span={6}>
              <dl className="facts">
                {Object.entries(info.counts).map(([key, count]) => (
                  <div key={key}>
                    <dt>{words(key)}</dt>
                    <dd className="num">{formatCount(count)}</dd>
                  </div>
                ))}
              </dl>
            </Card>
            {info.unread_tables.length > 0 && (
              <Card title="Tables of the source that are not used" span={6}>
                <dl className="facts">
                  {info.unread_tables.map((each) => (
                    <div key={String(each.table)}>
                      <dt>{String(each.table)}</dt>
                      <dd className="num">{typeof each.rows === "number" ? formatCount(each.rows) : "rows not counted"}</dd>
                    </div>
                  ))}
                </dl>
              </Card>
            )}
            <Card title="Where it comes from" span={6}>
              <dl className="facts">
                <div>
                  <dt>Recorded by</dt>
                  <dd>{info.producer}</dd>
                </div>
                <div>
                  <dt>Imported by</dt>
                  <dd>{info.writer}</dd>
                </div>
                <div>
                  <dt>Frameworks</dt>
                  <dd>{info.frameworks.join(", ") || "not recorded"}</dd>
                </div>
                {info.sources.map((source) => (
                  <div key={source}>
                    <dt>File</dt>
                    <dd>{source}</dd>
                  </div>
                ))}
                {Object.entries(info.properties).map(([key, value]) => (
                  <div key={key}>
                    <dt>{words(key)}</dt>
                    <dd title={value}>{property(key, value)}</dd>
                  </div>
                ))}
              </dl>
            </Card>
          </div>
        )}
      </Answered>
    </div>
  );
}
