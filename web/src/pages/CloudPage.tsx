// A cloud of mappings: what many ways to run one layer on an accelerator cost, as `opsight map --cloud` drew them. The
// numbers are those of its file.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useCorrections, wrongChoice } from "../address/corrections";
import { linkTo } from "../address/route";
import { useRoute, useSetParams } from "../address/useRoute";
import { getJson, type ApiError } from "../api/client";
import { useProfiles } from "../api/queries";
import type { CloudAnswer, Collection, Column, Table } from "../api/types";
import { DataTable } from "../table/DataTable";
import type { Row } from "../table/row";
import { Card, Notes } from "../widgets/Card";
import { formatCount } from "../widgets/format";
import { Answered, Empty } from "../widgets/states";
import { Mapping } from "./cloud/Mapping";
import { Picture } from "./cloud/Picture";
import { bestOf, formatAmount, OBJECTIVES, pointsOf } from "./cloud/points";

const SCALES = ["logarithmic", "linear"];
const AMOUNTS = ["energy_pj", "edp_j_cycles", "cost", "bound"];

const amountCell = (row: Row, column: Column) => {
  const value = AMOUNTS.includes(column.key) ? row.number(column.key) : null;
  return value === null ? undefined : formatAmount(value);
};

function Chosen({ label, value, all, choose }: { label: string; value: string; all: readonly string[]; choose: (value: string) => void }) {
  return (
    <label className="inline-label">
      {label}
      <select
        value={value}
        onChange={(event) => {
          choose(event.target.value);
        }}
      >
        {all.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}

function Choices({ cloud, objective }: { cloud: Collection; objective: string }) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const clouds = useProfiles().data?.clouds ?? [];
  return (
    <div className="fleet-choices" role="group" aria-label="What is shown">
      {clouds.length < 2 ? (
        <span className="fleet-store">{cloud.name}</span>
      ) : (
        <Chosen
          label="Cloud"
          value={cloud.name}
          all={clouds.map((each) => each.name)}
          choose={(name) => {
            window.location.hash = linkTo("mappings", new URLSearchParams(), { cloud: name });
          }}
        />
      )}
      <Chosen
        label="Objective"
        value={objective}
        all={OBJECTIVES}
        choose={(to) => {
          setParams({ objective: to === "energy" ? null : to, draw: null });
        }}
      />
      <Chosen
        label="Axes"
        value={params.get("scale") ?? "logarithmic"}
        all={SCALES}
        choose={(scale) => {
          setParams({ scale: scale === "logarithmic" ? null : scale });
        }}
      />
    </div>
  );
}

const drawOf = (row: Row): string => row.text("draw") ?? "";

function Front({ table, selected, choose }: { table: Table; selected: string | null; choose: (draw: string) => void }) {
  return (
    <Card title="Pareto front" note="from the quickest: none that was drawn has less of both energy and cycles">
      <DataTable
        name="cloud_front"
        label="Pareto front"
        prefix="front."
        height="half"
        local={table}
        rowKey={drawOf}
        selected={selected}
        hide={["pareto"]}
        cell={amountCell}
        onSelect={(_, draw) => {
          choose(draw);
        }}
      />
    </Card>
  );
}

function Shown({ answer, objective }: { answer: CloudAnswer; objective: string }) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const points = useMemo(() => pointsOf(answer.points), [answer]);
  const front = useMemo(() => pointsOf(answer.front), [answer]);
  const known = useMemo(() => new Map([...points, ...front].map((point) => [point.draw, point])), [points, front]);
  const asked = params.get("draw");
  const best = bestOf(answer, objective);
  useCorrections(asked === null || known.has(asked) ? [] : [{ key: "draw", to: null, text: `The cloud has no mapping of draw “${asked}”: the one with the least ${objective} is shown.` }]);
  const draw = asked !== null && known.has(asked) ? asked : best;
  const point = draw === null ? undefined : known.get(draw);
  const choose = (to: string) => {
    setParams({ draw: to });
  };
  const part = points.length < Number(answer.mappings) ? `${formatCount(points.length)} of ${formatCount(Number(answer.mappings))} mappings are in the file` : `${formatCount(points.length)} mappings`;
  return (
    <div className="cards">
      <Card title={`Mappings of ${answer.problem}`}>
        <Notes notes={answer.notes} />
      </Card>
      <Card title="Least of those drawn" note="drawn at random: proven only where the bound of all mappings is reached">
        <DataTable
          name="cloud_best"
          label="Least of those drawn"
          prefix="best."
          height="half"
          local={answer.best}
          rowKey={(row) => row.text("objective") ?? ""}
          selected={objective}
          cell={amountCell}
          onSelect={(_, to) => {
            setParams({ objective: to === "energy" ? null : to, draw: null });
          }}
        />
      </Card>
      <Card title="Energy against cycles" note={part}>
        <Picture points={points} front={front} outer={answer.outer_level} scale={params.get("scale") === "linear" ? "linear" : "log"} selected={draw} choose={choose} />
      </Card>
      {point && <Mapping answer={answer} point={point} title={draw === best ? `The mapping with the least ${objective}` : "The chosen mapping"} />}
      <Front table={answer.front} selected={draw} choose={choose} />
    </div>
  );
}

function Asked({ cloud, objective }: { cloud: Collection; objective: string }) {
  const answer = useQuery<CloudAnswer, ApiError>({
    queryKey: [`/clouds/${cloud.id}`],
    queryFn: ({ signal }) => getJson<CloudAnswer>(`/clouds/${cloud.id}`, {}, signal),
    staleTime: 0,
    retry: false,
  });
  return (
    <>
      <Choices cloud={cloud} objective={objective} />
      <Answered answer={answer} what="the cloud of mappings" rows={12}>
        {(found) => <Shown answer={found} objective={objective} />}
      </Answered>
    </>
  );
}

export function CloudPage() {
  const { params } = useRoute();
  const clouds = useProfiles().data?.clouds ?? [];
  const cloud = clouds.find((each) => each.name === params.get("cloud")) ?? clouds[0];
  const objective = OBJECTIVES.find((each) => each === params.get("objective")) ?? "energy";
  useCorrections([
    ...wrongChoice(params, "scale", SCALES, "kind of axes", "“logarithmic”"),
    ...wrongChoice(params, "objective", OBJECTIVES, "objective", "“energy”"),
    ...(cloud ? wrongChoice(params, "cloud", clouds.map((each) => each.name), "cloud", `“${cloud.name}”`) : []),
  ]);
  if (cloud) return <Asked key={cloud.id} cloud={cloud} objective={objective} />;
  return (
    <Empty icon="cloud" title="No cloud of mappings is open">
      A cloud draws many ways to run one layer on an accelerator, and this view shows what they cost.
      <p>
        <code>{"opsight map problem.yaml --arch eyeriss-256 --cloud 100000 --format json > cloud.json"}</code>
      </p>
      <p>
        <code>opsight view cloud.json</code>
      </p>
    </Empty>
  );
}
