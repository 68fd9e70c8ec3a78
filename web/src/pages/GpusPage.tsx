import { useGpus, useInfo, useSummary } from "../api/queries";
import { linkTo } from "../address/route";
import { useRoute } from "../address/useRoute";
import type { GpuDevice } from "../api/types";
import { cellText } from "../table/cells";
import { DataTable } from "../table/DataTable";
import type { Row } from "../table/row";
import { useHidden } from "../address/useHidden";
import { LegendItem } from "../widgets/LegendItem";
import { Card } from "../widgets/Card";
import { useDeviceWords } from "../widgets/deviceWords";
import { Donut } from "../widgets/charts";
import { exactValue, formatBytes, formatNs } from "../widgets/format";
import { Answered, Empty } from "../widgets/states";
import { sentence } from "../widgets/words";

const nameOf = (device: { rank: number; device: number }, ranks: number) =>
  ranks > 1 ? `Rank ${String(device.rank)}, GPU ${String(device.device)}` : `GPU ${String(device.device)}`;

function Overview({ ranks }: { ranks: number }) {
  return (
    <Card title="Utilization" note="time with work on the device, of the wall clock">
      <DataTable
        name="devices"
        label="Devices"
        height="free"
        hide={ranks > 1 ? [] : ["rank"]}
        bars={{ gpu_utilization_pct: "gpu" }}
        rowKey={(row) => `${row.text("rank") ?? ""}~${row.text("device") ?? ""}`}
      />
    </Card>
  );
}

const WAITS = [
  ["busy_ns", "Busy", "gpu"],
  ["host_wait_ns", "Host wait", "dataloader"],
  ["queued_wait_ns", "Queued wait", "memory"],
  ["other_wait_ns", "Other wait", "other"],
] as const;

// What a stream did of its time: all parts of it, drawn against the stream that lasts longest.
function Parts({ row }: { row: Row }) {
  const [hidden] = useHidden();
  const parts = WAITS.filter(([key]) => !hidden.has(key)).map(([key, name, kind]) => ({ key, name, kind, ns: row.number(key) })).flatMap((part) => (part.ns === null ? [] : [{ ...part, ns: part.ns }]));
  const whole = parts.reduce((sum, part) => sum + part.ns, 0);
  return (
    <>
      {cellText(BUSY, row.get("busy_pct"))}
      <span className="stacked" title={parts.map(({ name, ns }) => `${name}: ${formatNs(ns)} (${exactValue(ns, "ns")})`).join("\n")}>
        {parts.map((part) => (
          <span key={part.key} className={`c-${part.kind}`} style={{ width: `${String(whole > 0 ? (part.ns / whole) * 100 : 0)}%` }} />
        ))}
      </span>
    </>
  );
}

const BUSY = { key: "busy_pct", header: "Busy %", unit: "percent" } as const;

function Streams({ ranks, named }: { ranks: number; named: boolean }) {
  return (
    <Card title="Streams" note="what each did between its first and its last work">
      <ul className="legend inline above">
        {WAITS.map(([key, name, kind]) => (
          <LegendItem key={key} id={key} name={name} color={kind} />
        ))}
      </ul>
      <DataTable
        name="streams"
        label="Streams"
        prefix="s."
        height="half"
        hide={[...(ranks > 1 ? [] : ["rank"]), ...(named ? [] : ["stream_name"])]}
        cell={(row, column) => (column.key === "busy_pct" ? <Parts row={row} /> : undefined)}
        rowKey={(row) => ["rank", "device", "context", "stream"].map((key) => row.text(key) ?? "").join("~")}
        empty="No stream had work in this range."
      />
    </Card>
  );
}

function Device({ device, ranks }: { device: GpuDevice; ranks: number }) {
  const say = useDeviceWords();
  const facts = [
    ["Name", device.name ?? "not recorded"],
    ["Compute capability", device.compute_capability ?? "not recorded"],
    [say("Multiprocessors"), device.sm_count === null ? "not recorded" : String(device.sm_count)],
    ["Memory", device.memory_bytes === null ? "not recorded" : formatBytes(device.memory_bytes)],
    ["Memory bandwidth", device.memory_bandwidth === null ? "not recorded" : `${formatBytes(device.memory_bandwidth)}/s`],
    ["Clock", device.clock_hz === null ? "not recorded" : `${(device.clock_hz / 1e6).toFixed(0)} MHz`],
  ];
  return (
    <Card span={6} title={nameOf(device, ranks)} note={device.idle ? "not used by these processes" : undefined}>
      <div className="device">
        <Donut percent={device.gpu_utilization_pct} label={say(`Utilization of ${nameOf(device, ranks)}`)} size={104} />
        <dl className="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Card>
  );
}

// Where the source names devices, the notes say what is known of them.
function NoWork() {
  const { params } = useRoute();
  const notes = useSummary().data?.summary.notes ?? [];
  const info = useInfo().data;
  const named = (info?.devices.length ?? 0) > 0;
  return (
    <Empty icon="gpu" title={named ? "No work of the machine's GPUs was recorded" : "The profile has no GPU or other accelerator"}>
      {named ? notes.map((note) => <p key={note}>{sentence(note)}</p>) : "It was recorded on a CPU, or without device activities."}
      {(info?.counts.counter_samples ?? 0) > 0 && (
        <p>
          <a href={linkTo("recorded", params, { tab: "counters" })}>Counters and metrics</a> were recorded.
        </p>
      )}
    </Empty>
  );
}

export function GpusPage() {
  return (
    <Answered answer={useGpus()} what="the GPUs" rows={10}>
      {({ devices }) => {
        if (devices.length === 0) return <NoWork />;
        const ranks = new Set(devices.map((device) => device.rank)).size;
        return (
          <div className="cards">
            <Overview ranks={ranks} />
            <Streams ranks={ranks} named={devices.some((device) => device.streams.some((each) => each.stream_name !== null))} />
            {devices.map((device) => (
              <Device key={`${String(device.rank)} ${String(device.device)}`} device={device} ranks={ranks} />
            ))}
          </div>
        );
      }}
    </Answered>
  );
}
