import { useGpus } from "../api/queries";
import type { GpuDevice, StreamUse } from "../api/types";
import { Card, Notes } from "../widgets/Card";
import { Bar, Donut } from "../widgets/charts";
import { exactValue, formatBytes, formatNs } from "../widgets/format";
import { Num } from "../widgets/Num";
import { Answered, Empty } from "../widgets/states";

const nameOf = (device: { rank: number; device: number }, ranks: number) =>
  ranks > 1 ? `Rank ${String(device.rank)}, GPU ${String(device.device)}` : `GPU ${String(device.device)}`;

function Overview({ devices, ranks }: { devices: readonly GpuDevice[]; ranks: number }) {
  return (
    <Card title="Utilization" note="time with work on the device, of the wall clock">
      <table className="mini wide">
        <thead>
          <tr>
            <th scope="col">Device</th>
            <th scope="col" className="number">
              Busy
            </th>
            <th scope="col" className="number">
              Utilization
            </th>
            <th scope="col" className="number">
              Kernels alone
            </th>
            <th scope="col" className="bars">
              <span className="sr-only">As a bar</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {devices.map((device) => (
            <tr key={`${String(device.rank)} ${String(device.device)}`}>
              <td className="name">
                {nameOf(device, ranks)} <span className="hint">{device.name}</span>
              </td>
              <td className="number">
                <Num value={device.busy_ns} unit="ns" />
              </td>
              <td className="number">
                {device.idle ? <span className="badge">idle</span> : <Num value={device.gpu_utilization_pct} unit="percent" />}
              </td>
              <td className="number">
                <Num value={device.kernel_utilization_pct} unit="percent" />
              </td>
              <td className="bars">
                <Bar value={device.gpu_utilization_pct ?? 0} most={100} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

const WAITS = [
  ["busy_ns", "Busy", "gpu"],
  ["host_wait_ns", "Host wait", "dataloader"],
  ["kernel_wait_ns", "Kernel wait", "memory"],
  ["other_wait_ns", "Other wait", "other"],
] as const;

function StreamRow({ stream, most }: { stream: StreamUse; most: number }) {
  const title = WAITS.map(([key, name]) => `${name}: ${formatNs(stream[key])} (${exactValue(stream[key], "ns")})`).join("\n");
  return (
    <tr>
      <th scope="row">{stream.stream}</th>
      <td className="number">
        <Num value={stream.spans} unit="count" />
      </td>
      {WAITS.map(([key]) => (
        <td key={key} className="number">
          <Num value={stream[key]} unit="ns" />
        </td>
      ))}
      <td className="number">
        <Num value={stream.busy_pct} unit="percent" />
      </td>
      <td className="number">
        <Num value={stream.queue_depth_mean} unit="count" />
      </td>
      <td className="number">
        <Num value={stream.occupancy_pct} unit="percent" />
      </td>
      <td className="bars">
        <span className="stacked" title={title}>
          {WAITS.map(([key, , kind]) => (
            <span key={key} className={`c-${kind}`} style={{ width: `${String(most > 0 ? (stream[key] / most) * 100 : 0)}%` }} />
          ))}
        </span>
      </td>
    </tr>
  );
}

function Streams({ device }: { device: GpuDevice }) {
  const whole = (stream: StreamUse) => WAITS.reduce((sum, [key]) => sum + stream[key], 0);
  const most = Math.max(0, ...device.streams.map(whole));
  return (
    <table className="mini streams">
      <thead>
        <tr>
          <th scope="col">Stream</th>
          {["Spans", "Busy", "Host wait", "Kernel wait", "Other wait", "Busy %", "Queue", "Occupancy"].map((head, at) => (
            <th key={at} scope="col" className="number">
              {head}
            </th>
          ))}
          <th scope="col" className="bars">
            <span className="sr-only">As a bar</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {device.streams.map((stream) => (
          <StreamRow key={`${String(stream.context)} ${String(stream.stream)}`} stream={stream} most={most} />
        ))}
      </tbody>
    </table>
  );
}

function Device({ device, ranks }: { device: GpuDevice; ranks: number }) {
  const facts = [
    ["Name", device.name ?? "not recorded"],
    ["Compute capability", device.compute_capability ?? "not recorded"],
    ["Multiprocessors", device.sm_count === null ? "not recorded" : String(device.sm_count)],
    ["Memory", device.memory_bytes === null ? "not recorded" : formatBytes(device.memory_bytes)],
    ["Memory bandwidth", device.memory_bandwidth === null ? "not recorded" : `${formatBytes(device.memory_bandwidth)}/s`],
    ["Clock", device.clock_hz === null ? "not recorded" : `${(device.clock_hz / 1e6).toFixed(0)} MHz`],
  ];
  return (
    <Card title={nameOf(device, ranks)} note={device.idle ? "no work in this range" : undefined}>
      <div className="device">
        <Donut percent={device.gpu_utilization_pct} label={`Utilization of ${nameOf(device, ranks)}`} size={104} />
        <dl className="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {device.streams.length > 0 ? <Streams device={device} /> : <p className="hint">No stream of this device had work.</p>}
      </div>
    </Card>
  );
}

export function GpusPage() {
  return (
    <Answered answer={useGpus()} what="the GPUs" rows={10}>
      {({ devices, notes }) => {
        if (devices.length === 0) {
          return (
            <Empty icon="gpu" title="The profile has no GPU">
              It was recorded on a CPU, or without device activities.
            </Empty>
          );
        }
        const ranks = new Set(devices.map((device) => device.rank)).size;
        return (
          <div className="cards">
            <Overview devices={devices} ranks={ranks} />
            <div className="span-12">
              <ul className="legend inline">
                {WAITS.map(([key, name, kind]) => (
                  <li key={key}>
                    <i className={`swatch c-${kind}`} />
                    <span>{name}</span>
                  </li>
                ))}
              </ul>
              <p className="hint">
                Host wait: the next kernel was launched after the one before had ended. Kernel wait: a gap of few nanoseconds between
                kernels that were queued.
              </p>
            </div>
            {devices.map((device) => (
              <Device key={`${String(device.rank)} ${String(device.device)}`} device={device} ranks={ranks} />
            ))}
            <div className="span-12">
              <Notes notes={notes} />
            </div>
          </div>
        );
      }}
    </Answered>
  );
}
