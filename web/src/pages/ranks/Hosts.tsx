// The hosts of a job that others wait for, where it has several: a fault may be a machine's, and not a rank's.
import { useTable } from "../../api/queries";
import { DataTable } from "../../table/DataTable";
import { wholeRow } from "../../table/row";
import { Card } from "../../widgets/Card";

export function Hosts() {
  const hosts = useTable("straggler_hosts", { page_size: 1 }).data?.rows_in_all ?? 0;
  if (hosts < 2) return null;
  return (
    <Card title="Hosts that others wait for" note="the ranks of a host together">
      <DataTable name="straggler_hosts" label="Hosts that others wait for" prefix="h." height="half" bars={{ caused_ns: "idle" }} rowKey={wholeRow} empty="No host made others wait in this range." />
    </Card>
  );
}
