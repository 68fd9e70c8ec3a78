// One mapping of the cloud: what it costs, where its energy goes, and its loop nest.
import type { CloudAnswer } from "../../api/types";
import { DataTable } from "../../table/DataTable";
import { wholeRow } from "../../table/row";
import { Card } from "../../widgets/Card";
import { formatCount, formatPercent } from "../../widgets/format";
import { formatAmount, formatEnergy, type CloudPoint } from "./points";

// The energy stands first: it is what the bars are of.
const SHOWN = ["level", "data_space", "energy_pj", "energy_percent", "tile_words", "reads", "fills", "updates", "instances"];

function Fact({ name, children }: { name: string; children: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function Mapping({ answer, point, title }: { answer: CloudAnswer; point: CloudPoint; title: string }) {
  const told = answer.told.find((each) => String(each.draw) === point.draw);
  return (
    <>
      <Card title={title} note={`draw ${point.draw}${point.pareto ? ", on the Pareto front" : ""}`} span={6}>
        <dl className="cloud-facts">
          <Fact name="Energy">{formatEnergy(point.energy)}</Fact>
          <Fact name="Cycles">{formatCount(point.cycles)}</Fact>
          <Fact name="EDP">{`${formatAmount(point.edp)} J*cycles`}</Fact>
          {told ? <Fact name="Utilization">{formatPercent(100 * told.utilization)}</Fact> : <></>}
          <Fact name={`Words at ${answer.outer_level}`}>{formatCount(point.words)}</Fact>
        </dl>
        {told ? (
          <pre className="cloud-nest" tabIndex={0} aria-label="Loop nest">
            {told.loop_nest}
          </pre>
        ) : (
          <p className="hint">
            The file has loop nests of the front and of the least of each objective. This one is printed by <code>{`opsight map ... --draw ${point.draw}`}</code>, with the same files and the same --seed.
          </p>
        )}
      </Card>
      {told && (
        <Card title="Energy by level and data space" span={6}>
          <DataTable name="cloud_levels" label="Energy by level and data space" prefix="levels." height="half" local={{ ...told.levels, shown: SHOWN }} rowKey={wholeRow} bars={{ energy_pj: "memory" }} cell={(row, column) => (column.key === "energy_pj" && row.number("energy_pj") !== null ? formatAmount(row.number("energy_pj") ?? 0) : undefined)} />
        </Card>
      )}
    </>
  );
}
