import { useMemo } from "react";
import type { Params } from "../api/client";
import { useTable } from "../api/queries";
import { useCorrections, wrongChoice } from "../address/corrections";
import { useRoute, useSetParams } from "../address/useRoute";
import { identify, rowsOf, type Row } from "../table/row";
import { SelectTable } from "../table/SelectTable";
import { Card } from "../widgets/Card";
import { Answered, Empty } from "../widgets/states";
import { Tabs } from "../widgets/Tabs";
import { rowLink } from "./links";
import { Chart } from "./roofline/Chart";
import { ceilingsOf, levelsOf, pointsOf, type Point } from "./roofline/model";
import { formatPercent } from "../widgets/format";
import { DataTable } from "../table/DataTable";
import { FirstInTimeline } from "../table/timelineLinks";

const MOST = 1000; // points drawn

// How much of the time the picture shows: what is not counted has no place in it.
function drawnNote(points: readonly Point[], rows: number): string {
  const others = rows > MOST ? `, or is of the rows beyond the first ${String(MOST)} of ${String(rows)}` : "";
  return `${formatPercent(points.reduce((sum, point) => sum + point.share, 0))} of the time is drawn; the rest has no counted FLOPs, or too few to be rated${others}`;
}

interface Kind {
  id: string;
  title: string;
  table: string;
  keys: readonly string[];
  name: string;
  more: readonly string[];
  subject: (row: Row) => Params; // what its first event is asked by
}


const KINDS: readonly Kind[] = [
  { id: "ops", title: "Ops", table: "roofline", keys: ["op_id"], name: "op_name", more: ["layer", "direction"], subject: (row) => ({ op: row.text("op_id") }) },
  { id: "layers", title: "Layers", table: "roofline_layers", keys: ["layer", "direction"], name: "layer", more: ["direction"], subject: (row) => ({ layer: row.text("layer") }) },
  { id: "kernels", title: "Kernels", table: "roofline_kernels", keys: ["long_kernel_name"], name: "kernel_name", more: ["uses_tc"], subject: (row) => ({ kernel: row.text("long_kernel_name") }) },
];

const OPS = KINDS[0] as Kind;

function Picture({ kind }: { kind: Kind }) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const rows = useTable(kind.table, { sort: "time_ns:desc", page_size: MOST });
  const ceilings = useTable("roofline_ceilings", { page_size: MOST });
  const points = useMemo(() => (rows.data ? pointsOf(rowsOf(rows.data), (row) => identify(row, kind.keys), kind.name, kind.more) : []), [rows.data, kind]);
  const known = useMemo(() => (ceilings.data ? ceilingsOf(rowsOf(ceilings.data)) : []), [ceilings.data]);
  const devices = [...new Map(known.map((each) => [each.device, each.name])).entries()];
  const device = devices.find(([id]) => id === params.get("device"))?.[0] ?? devices[0]?.[0] ?? "";
  const levels = useMemo(() => (ceilings.data ? levelsOf(rowsOf(ceilings.data), device) : []), [ceilings.data, device]);
  const selected = params.get("sel");
  return (
    <Answered answer={rows} what="the roofline" rows={8}>
      {(table) => (
        <Card
          title={devices.find(([id]) => id === device)?.[1] ?? "No ceilings are known"}
          note={points.length > 0 ? drawnNote(points, table.rows_matching) : undefined}
          action={
            devices.length > 1 && (
              <label className="inline-label">
                Ceilings of{" "}
                <select
                  value={device}
                  onChange={(event) => {
                    setParams({ device: event.target.value });
                  }}
                >
                  {devices.map(([id, name]) => (
                    <option key={id} value={id}>
                      {name} ({id})
                    </option>
                  ))}
                </select>
              </label>
            )
          }
        >
          {points.length > 0 ? (
            <Chart
              points={points}
              ceilings={known}
              levels={levels}
              device={device}
              selected={selected}
              onSelect={(point) => {
                setParams({ sel: point.key === selected ? null : point.key, reveal: point.key === selected ? null : "1" });
              }}
            />
          ) : (
            <Empty title="Nothing here has counted FLOPs">
              <p>They are counted from the shapes of inputs, which opsight profile records, and PyTorch&apos;s profiler with record_shapes=True.</p>
            </Empty>
          )}
        </Card>
      )}
    </Answered>
  );
}

export function RooflinePage() {
  const { params } = useRoute();
  const setParams = useSetParams();
  useCorrections(
    wrongChoice(
      params,
      "tab",
      KINDS.map((each) => each.id),
      "tab",
      "“Ops”",
    ),
  );
  const kind = KINDS.find((each) => each.id === params.get("tab")) ?? OPS;
  return (
    <Tabs
      label="Roofline"
      tabs={KINDS}
      chosen={kind.id}
      choose={(id) => {
        setParams({ tab: id, sel: null, sort: null, page: null, filter: null, search: null, cols: null });
      }}
    >
      <div className="cards">
        <Picture key={kind.id} kind={kind} />
      </div>
      <SelectTable
        key={kind.table}
        name={kind.table}
        label={`Counted work by ${kind.title.toLowerCase()}`}
        sort="time_ns:desc"
        bars={{ time_ns: "gpu" }}
        keys={kind.keys}
        title={(row) => row.text(kind.name) ?? "Work"}
        link={rowLink(params, "roofline")}
        detailActions={(row) => <FirstInTimeline of={kind.subject(row)} />}
        height="half"
        empty="Nothing of this range has counted work."
      />
      <div className="below">
        <Card title="Not counted" note="op types whose work no formula tells, by the time that they take">
        <DataTable
          name="uncounted"
          label="Op types without counted work"
          prefix="u."
          height="half"
          rowKey={(row) => row.text("op_type") ?? ""}
          empty="No time of this range is left that could be counted."
        />
        </Card>
      </div>
    </Tabs>
  );
}
