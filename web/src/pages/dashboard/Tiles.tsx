import type { ReactNode } from "react";
import { useInfo, useTable } from "../../api/queries";
import type { Profile, Summary } from "../../api/types";
import { linkTo } from "../../address/route";
import { useRoute } from "../../address/useRoute";
import { rowsOf } from "../../table/row";
import { Donut } from "../../widgets/charts";
import { definitionOfTile } from "../../widgets/definitions";
import { isOpenShare } from "../../widgets/format";
import { Icon } from "../../widgets/Icon";
import { useDeviceWords } from "../../widgets/deviceWords";
import { Num } from "../../widgets/Num";
import { Findings } from "./Findings";
import { MERGED } from "./parts";

function Tile({ title, children, span = 3 }: { title: string; children: ReactNode; span?: 3 | 4 | 6 }) {
  const say = useDeviceWords();
  return (
    <section className={`card tile span-${String(span)}`} aria-label={say(title)}>
      <h2 title={say(definitionOfTile(title) ?? "")}>{say(title)}</h2>
      {children}
    </section>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  const say = useDeviceWords();
  return (
    <div className="tile-line">
      <dt title={say(definitionOfTile(name) ?? "")}>{say(name)}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function averageWords(summary: Summary): string {
  if (summary.system.ranks > 1) return summary.iterations.selected > 1 ? "average of the rank that took longest" : "of the rank that took longest";
  return summary.iterations.selected > 1 ? "average" : "the only one of the range";
}

function IterationTile({ summary, span }: { summary: Summary; span: 3 | 4 }) {
  const { iterations } = summary;
  return (
    <Tile title="Iteration time" span={span}>
      {iterations.selected > 0 ? (
        <>
          {iterations.two_lengths === null ? (
            <p className="big">
              <Num value={iterations.avg_iteration_time_ns} unit="ns" /> <small title="wall clock / iterations: each lasts until the next one begins">{averageWords(summary)}</small>
            </p>
          ) : (
            <p className="two-lengths">
              {iterations.two_lengths} <small>the average, <Num value={iterations.avg_iteration_time_ns} unit="ns" />, is the length of none</small>
            </p>
          )}
          {iterations.selected > 1 && (
            <dl>
              <Line name="Deviation">
                <Num value={iterations.stddev_ns} unit="ns" />
              </Line>
              <Line name="Median">
                <Num value={iterations.median_ns} unit="ns" />
              </Line>
              <Line name="Fastest to slowest">
                <Num value={iterations.min_ns} unit="ns" /> – <Num value={iterations.max_ns} unit="ns" />
              </Line>
            </dl>
          )}
        </>
      ) : (
        <>
          <p className="big">–</p>
          <p className="hint">No iterations were found: all numbers are about the whole profile.</p>
        </>
      )}
    </Tile>
  );
}

function WallTile({ summary, span }: { summary: Summary; span: 3 | 4 }) {
  const { iterations } = summary;
  return (
    <Tile title="Wall clock" span={span}>
      <p className="big">
        <Num value={summary.wall_clock_ns} unit="ns" />
      </p>
      <dl>
        {iterations.total > 0 && (
          <Line name="Iterations in it">
            <Num value={iterations.selected} unit="count" /> of <Num value={iterations.total} unit="count" />
          </Line>
        )}
        {iterations.selected > 0 && (
          <Line name="First to last">
            {iterations.start} – {iterations.stop}
          </Line>
        )}
        <Line name="Ranks">
          <Num value={summary.system.ranks} unit="count" />
        </Line>
        <Line name="Processes">
          <Num value={summary.system.processes} unit="count" />
        </Line>
        <Line name="Threads">
          <Num value={summary.system.threads} unit="count" />
        </Line>
      </dl>
    </Tile>
  );
}

function GpuTile({ summary }: { summary: Summary }) {
  const say = useDeviceWords();
  return (
    <Tile title="GPU utilization">
      <div className="tile-donut">
        <Donut percent={summary.gpu_utilization_pct} label={say("GPU utilization")} />
        <dl>
          <Line name="Kernels alone">
            <Num value={summary.kernel_utilization_pct} unit="percent" />
          </Line>
          <Line name="GPUs used">
            <Num value={summary.system.gpu_count} unit="count" />
          </Line>
          <Line name="named, not used">
            <Num value={summary.system.gpu_unused_count} unit="count" />
          </Line>
        </dl>
      </div>
      {summary.devices.length > 1 && (
        <details>
          <summary>{say("Each GPU")}</summary>
          <dl>
            {summary.devices.map((device) => (
              <Line key={`${String(device.rank)} ${String(device.device)}`} name={`Rank ${String(device.rank)}, GPU ${String(device.device)}`}>
                {device.idle ? <span className="badge">not used</span> : <Num value={device.gpu_utilization_pct} unit="percent" />}
              </Line>
            ))}
          </dl>
        </details>
      )}
    </Tile>
  );
}

// A share that kernels of unknown use leave open between two bounds.
function Bounds({ low, high }: { low: number | null; high: number | null }) {
  const say = useDeviceWords();
  if (!isOpenShare(low, high)) return <Num value={low} unit="percent" />;
  return (
    <span title={say("kernels whose Tensor Core use is not known: none of them to all of them")}>
      <Num value={low} unit="percent" /> – <Num value={high} unit="percent" />
    </span>
  );
}

function TensorTile({ summary, ops }: { summary: Summary; ops: boolean }) {
  const { params } = useRoute();
  const say = useDeviceWords();
  return (
    <Tile title="Tensor Core efficiency">
      <div className="tile-donut c-tensor_core">
        <Donut percent={summary.tensor_core_efficiency_low_pct} most={summary.tensor_core_efficiency_high_pct} label={say("Tensor Core efficiency")} />
        <dl>
          <Line name="Share of kernel time">
            <Bounds low={summary.tensor_core_kernel_share_low_pct} high={summary.tensor_core_kernel_share_high_pct} />
          </Line>
          <Line name="Eligible, not using">
            <a href={linkTo("kernels", params, { tab: "tensor" })}>
              <Num value={ops ? (summary.all_ops.find((each) => each.name.startsWith("Ops eligible"))?.ops ?? null) : null} unit="count" /> ops
            </a>
          </Line>
        </dl>
      </div>
    </Tile>
  );
}

// Of a program without a framework its ranges tell where the time goes; not where a GPU is at work, for which a range
// may only wait: findings say what lies beside its work.
function FirstRange() {
  const { params } = useRoute();
  const table = useTable("ranges", { ...MERGED, sort: "self_time_ns:desc", page_size: 1 }).data;
  const row = table && rowsOf(table)[0];
  const name = row?.text("range");
  if (!row || !name || row.number("self_time_ns") === null) return null;
  return (
    <section className="card first-look span-12" aria-label="The range that takes most">
      <Icon name="arrow" size={18} />
      <div>
        <h2>No range takes more of the CPU’s time itself than “{name}”</h2>
        <p>
          <Num value={row.number("self_time_ns")} unit="ns" /> in <Num value={row.number("calls")} unit="count" /> {row.number("calls") === 1 ? "call" : "calls"},
          without the ranges inside it: <Num value={row.number("self_share_pct")} unit="percent" /> of what all ranges take themselves.
        </p>
      </div>
      <a className="button" href={linkTo("ranges", params, { merge: 1, sel: row.text("range_id") })}>
        See the ranges
      </a>
    </section>
  );
}

// Of a snapshot of memory, which tells no time.
function MemoryTile({ summary }: { summary: Summary }) {
  const { params } = useRoute();
  const most = (summary.peak_memory ?? []).reduce((a, b) => (b.allocated_bytes > a.allocated_bytes ? b : a));
  return (
    <Tile title="Peak memory" span={4}>
      <p className="big">
        <Num value={most.allocated_bytes} unit="bytes" /> <small>allocated on {most.device_type === "GPU" ? `GPU ${String(most.device ?? 0)}` : "the host"}</small>
      </p>
      <dl>
        <Line name="Peak reserved">
          <Num value={most.reserved_bytes} unit="bytes" />
        </Line>
      </dl>
      <p className="hint">
        The recording is of memory: it tells no time of ops or of a device. <a href={linkTo("memory", params)}>Who holds it</a>
      </p>
    </Tile>
  );
}

// Where the source names devices, the notes say what is known of them.
function NoGpuTile({ ops }: { ops: boolean }) {
  const named = (useInfo().data?.devices.length ?? 0) > 0;
  return (
    <Tile title="GPU" span={4}>
      <p className="big">–</p>
      {named ? (
        <p className="hint">No work of the machine&apos;s GPUs was recorded; the notes below say what is known.</p>
      ) : (
        <p className="hint">
          No GPU work was recorded{ops ? ": all times are those of the CPU" : ""}. Where there is a GPU, <code>opsight profile --check</code> tells what can be recorded.
        </p>
      )}
    </Tile>
  );
}

export function Tiles({ profile, summary, gpu }: { profile: Profile; summary: Summary; gpu: boolean }) {
  const timeless = summary.idle_pct === null && (summary.peak_memory ?? []).length > 0;
  const ranges = (profile.ops ?? 0) === 0 && (profile.ranges ?? 0) > 0 && !timeless;
  return (
    <>
      {ranges && !gpu && <FirstRange />}
      <Findings />
      {gpu ? (
        <>
          <GpuTile summary={summary} />
          <TensorTile summary={summary} ops={(profile.ops ?? 0) > 0} />
        </>
      ) : timeless ? (
        <MemoryTile summary={summary} />
      ) : (
        <NoGpuTile ops={(profile.ops ?? 0) > 0} />
      )}
      <IterationTile summary={summary} span={gpu ? 3 : 4} />
      <WallTile summary={summary} span={gpu ? 3 : 4} />
    </>
  );
}
