import { useDeviceWork, useProfile } from "../api/queries";
import { rowLink } from "./links";
import { useRank, useRoute } from "../address/useRoute";
import { DataTable } from "../table/DataTable";
import { wholeRow, type Row } from "../table/row";
import { Card } from "../widgets/Card";
import { LeftOutOfOneRank } from "../widgets/OfAllRanks";
import { Empty } from "../widgets/states";
import { HeatMap } from "./ranks/HeatMap";
import { Hosts } from "./ranks/Hosts";
import { Late } from "./ranks/Late";
import { Missing } from "./ranks/Missing";

const rankKey = (row: Row): string => row.text("rank") ?? "";

// What the colours behind numbers mean is said by the heads of the columns.
const BARS = { computing_ns: "other_kernel", waiting_ns: "idle", communicating_ns: "communication", loading_ns: "dataloader" };

function OneRank() {
  return (
    <Empty icon="network" title="One rank only">
      There is nobody to compare it with. Record all ranks of the job in one profile, with one command around the launcher, or import what each rank recorded:
      <p>
        <code>opsight profile -o run.opsight -- torchrun --nproc-per-node 8 train.py</code>
      </p>
      <p>
        <code>opsight import -o run.opsight traces/</code>
      </p>
    </Empty>
  );
}

export function RanksPage() {
  const { params } = useRoute();
  const profile = useProfile();
  const onDevices = useDeviceWork();
  const all = useRank() === null;
  if (!profile) return null;
  if ((profile.ranks ?? 1) < 2) return <OneRank />;
  return (
    <div className="cards">
      <LeftOutOfOneRank what="Hosts, process groups, layers by rank and the critical path across ranks" />
      <Card title="Who others wait for" note="by the collectives of all ranks; ranks without any are told apart by their time alone">
        <Late />
        <DataTable name="stragglers" label="Ranks that others wait for" prefix="w." height="half" bars={{ caused_ns: "idle" }} rowKey={wholeRow} empty="No rank made others wait in this range." />
        {all && <Missing />}
      </Card>
      {all && <Hosts />}
      <Card title="Ranks" note="of the chosen iterations">
        <DataTable name="ranks" label="Ranks" height="half" bars={BARS} rowKey={rankKey} link={rowLink(params, "ranks")} empty="No rank has iterations in this range." />
      </Card>
      <Card title="Ranks by iteration" note="a cell for each iteration of each rank">
        <HeatMap />
      </Card>
      {all && onDevices && (
        <Card title="Layers by rank" note="where ranks do not have the same amount of work">
          <DataTable name="rank_layers" label="Layers by rank" prefix="l." height="half" bars={{ lost_ns: "idle" }} rowKey={wholeRow} link={rowLink(params, "ranks")} empty="No layer ran on a device in this range." />
        </Card>
      )}
      {all && (
        <Card title="Critical path across ranks" note="whose work the job waited for, from collective to collective">
          <DataTable name="rank_path" label="Critical path across ranks" prefix="p." height="half" bars={{ path_pct: "gpu" }} rowKey={wholeRow} empty="No collective of all ranks lies in this range." />
        </Card>
      )}
      <Card title="Clocks" note="what was added to the recorded times of a rank, so that they stand beside those of others">
        <DataTable name="clocks" label="Clocks of ranks" prefix="k." height="half" rowKey={rankKey} empty="No clock was compared." />
      </Card>
    </div>
  );
}
