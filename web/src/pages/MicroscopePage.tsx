import { useMemo } from "react";
import { useCorrections, wrongChoice } from "../address/corrections";
import { useRoute, useSetParams } from "../address/useRoute";
import { useDeviceWork, useTable } from "../api/queries";
import type { Table } from "../api/types";
import { DataTable } from "../table/DataTable";
import { wholeRow } from "../table/row";
import { headText } from "../table/cells";
import { Card } from "../widgets/Card";
import { Answered, Empty } from "../widgets/states";
import { Tabs } from "../widgets/Tabs";
import { rowLink } from "./links";
import { gridOf, type Order } from "./microscope/grid";
import { HeatTable } from "./microscope/HeatTable";
import { Multiples } from "./microscope/Multiples";

const MOST = 40; // rows drawn

const KINDS = [
  { id: "layers", title: "Layers", table: "characterize_layers", name: "layer" },
  { id: "types", title: "Op types", table: "characterize_op_types", name: "op_type" },
  { id: "kernels", title: "Kernels", table: "characterize_kernels", name: "kernel_name" },
] as const;

type Kind = (typeof KINDS)[number];

function Pictures({ table, kind }: { table: Table; kind: Kind }) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const order: Order = params.get("order") === "name" ? "name" : "time";
  const grid = useMemo(() => gridOf(table, kind.name, order, MOST), [table, kind, order]);
  const chosen = params.get("measure");
  const note = table.rows_matching > MOST ? `the ${String(MOST)} that take most time, of ${String(table.rows_matching)}` : undefined;
  const shown = { ...grid, parameters: grid.parameters.filter((each) => chosen === null || each.column.key === chosen) };
  const choose = (measure: string) => {
    setParams({ measure: measure === chosen ? null : measure }, { replace: true });
  };
  if (grid.rows.length === 0) return <Empty title="Nothing of this kind was recorded in this range" />;
  return (
    <>
      <Card
        title="Heat map"
        note={note ?? "each column from 0 to its own greatest value; the head of a column tells its source"}
        action={
          <label className="inline-label">
            Order by{" "}
            <select
              value={order}
              onChange={(event) => {
                setParams({ order: event.target.value === "name" ? "name" : null }, { replace: true });
              }}
            >
              <option value="time">time</option>
              <option value="name">name</option>
            </select>
          </label>
        }
      >
        {table.notes.map((text) => (
          <p key={text} className="quiet">
            {text}
          </p>
        ))}
        <HeatTable grid={grid} label={`${kind.title} by parameter`} chosen={chosen} choose={choose} />
        {grid.missing.length > 0 && <p className="quiet">Not known here: {grid.missing.map(headText).join(", ")}.</p>}
      </Card>
      <Card title="Small multiples" note="a bar for each row of the heat map, in the same order; grey: not known">
        <Multiples grid={shown} />
      </Card>
    </>
  );
}

function Drawn({ kind }: { kind: Kind }) {
  const rows = useTable(kind.table, { sort: "time_ns:desc", page_size: MOST });
  return (
    <Answered answer={rows} what="the layers" rows={8}>
      {(table) => <Pictures table={table} kind={kind} />}
    </Answered>
  );
}

export function MicroscopePage() {
  const { params } = useRoute();
  const setParams = useSetParams();
  const onDevices = useDeviceWork();
  useCorrections(
    wrongChoice(
      params,
      "tab",
      KINDS.map((each) => each.id),
      "tab",
      "“Layers”",
    ),
  );
  const kind = KINDS.find((each) => each.id === params.get("tab")) ?? KINDS[0];
  const tabs = KINDS.map((each) => (each.id === "kernels" && !onDevices ? { ...each, title: "Ops" } : each));
  return (
    <Tabs
      label="Microscope"
      tabs={tabs}
      chosen={kind.id}
      choose={(id) => {
        setParams({ tab: id, sort: null, page: null, filter: null, search: null, cols: null });
      }}
    >
      <div className="cards">
        <Drawn key={kind.id} kind={kind} />
        <Card title="Table" note="all rows and parameters; the head of a column tells what it means and who says so">
          <DataTable key={kind.table} name={kind.table} label={`${kind.title} by parameter`} sort="time_ns:desc" height="half" bars={{ time_ns: "gpu" }} rowKey={wholeRow} link={rowLink(params, "microscope")} empty="Nothing ran in this range." />
        </Card>
      </div>
    </Tabs>
  );
}
