import { useMemo, useState } from "react";
import { useMemory } from "../api/queries";
import type { MemoryDevice } from "../api/types";
import { linkTo } from "../address/route";
import { useRoute } from "../address/useRoute";
import { outsideOf, stretchesOf, type Stretch } from "../widgets/stretches";
import { DataTable } from "../table/DataTable";
import { wholeRow } from "../table/row";
import { Card } from "../widgets/Card";
import { exactValue, formatBytes, formatNs } from "../widgets/format";
import { useDeviceWords } from "../widgets/deviceWords";
import { Num } from "../widgets/Num";
import { Answered, Empty } from "../widgets/states";
import { byteTicks, ticks } from "../widgets/ticks";
import { useWidth } from "../widgets/useWidth";
import { partsOf, pointAt, pointsOf, stepPath } from "./memory/curve";

const HEIGHT = 220;
const LEFT = 70;
const BOTTOM = 24;

interface OfDevice {
  device: MemoryDevice;
  wall: readonly Stretch[];
  pauses: readonly Stretch[]; // of the recording
}

function Curve({ device, wall, pauses }: OfDevice) {
  const [holder, width] = useWidth<HTMLDivElement>();
  const [at, setAt] = useState<number | null>(null);
  const points = useMemo(() => pointsOf(device), [device]);
  const parts = useMemo(() => partsOf(points, pauses), [points, pauses]);
  const begin = points[0]?.t ?? 0;
  const end = points[points.length - 1]?.t ?? 1;
  const most = Math.max(device.whole.allocated ?? 0, device.whole.reserved ?? 0);
  const wide = Math.max(10, width - LEFT - 8);
  const x = (t: number) => LEFT + (end > begin ? ((t - begin) / (end - begin)) * wide : 0);
  const y = (bytes: number) => HEIGHT - BOTTOM - (most > 0 ? bytes / most : 0) * (HEIGHT - BOTTOM - 12);
  const time = at === null ? null : begin + ((at - LEFT) / wide) * (end - begin);
  const point = time === null ? undefined : pointAt(points, pauses, time);
  return (
    <div className="curve" ref={holder}>
      <svg
        width="100%"
        height={HEIGHT}
        role="img"
        aria-label={`Memory over time: at most ${formatBytes(device.whole.allocated ?? 0)} allocated`}
        onPointerMove={(event) => {
          const px = event.clientX - event.currentTarget.getBoundingClientRect().left;
          setAt(px >= LEFT ? px : null);
        }}
        onPointerLeave={() => {
          setAt(null);
        }}
      >
        {byteTicks(most, 4).map((value) => (
          <g key={value}>
            <line className="axis-line" x1={LEFT} x2={LEFT + wide} y1={y(value)} y2={y(value)} />
            <text className="axis-text end" x={LEFT - 8} y={y(value) + 4}>
              {formatBytes(value)}
            </text>
          </g>
        ))}
        {ticks(end, Math.max(2, Math.floor((wide / 140) * (end / Math.max(1, end - begin)))))
          .filter((time) => time >= begin)
          .map((time) => (
            <text key={time} className="axis-text middle" x={Math.min(x(time), LEFT + wide - 16)} y={HEIGHT - 6}>
              {formatNs(time)}
            </text>
          ))}
        {outsideOf(wall, { begin, end }).map((each) => (
          <rect key={each.begin} className="outside" x={x(each.begin)} y="8" width={Math.max(0, x(each.end) - x(each.begin))} height={HEIGHT - BOTTOM - 8}>
            <title>outside of the range</title>
          </rect>
        ))}
        {pauses.map((each) => (
          <rect key={each.begin} className="pause" x={x(Math.max(begin, each.begin))} y="8" width={Math.max(0, x(Math.min(end, each.end)) - x(Math.max(begin, each.begin)))} height={HEIGHT - BOTTOM - 8}>
            <title>the recording pauses</title>
          </rect>
        ))}
        <path className="area c-memory" d={stepPath(parts, "allocated", x, y, true)} />
        <path className="line c-memory" d={stepPath(parts, "allocated", x, y, false)} />
        {(device.whole.reserved ?? 0) > 0 && <path className="line c-other_kernel dashed" d={stepPath(parts, "reserved", x, y, false)} />}
        {point && <line className="axis-line strong" x1={x(point.t)} x2={x(point.t)} y1="8" y2={HEIGHT - BOTTOM} />}
      </svg>
      <ul className="legend inline">
        <li>
          <i className="swatch c-memory" />
          <span>Allocated</span> {point && <b title={exactValue(point.allocated, "bytes")}>{formatBytes(point.allocated)}</b>}
        </li>
        {(device.whole.reserved ?? 0) > 0 && (
          <li>
            <i className="swatch c-other_kernel" />
            <span>Reserved</span>{" "}
            {point && point.reserved !== null && <b title={exactValue(point.reserved, "bytes")}>{formatBytes(point.reserved)}</b>}
          </li>
        )}
        {point && (
          <li>
            <span>at</span> <b>{formatNs(point.t)}</b>
          </li>
        )}
        {pauses.length > 0 && (
          <li>
            <i className="swatch pause" />
            <span>The recording pauses</span>
          </li>
        )}
      </ul>
    </div>
  );
}

function Device({ device, ranks, wall, pauses }: OfDevice & { ranks: number }) {
  const { params } = useRoute();
  const say = useDeviceWords();
  const name = device.kind === "CPU" ? "CPU" : device.device === null ? "Other memory" : `${say("GPU")} ${String(device.device)}`;
  const title = ranks > 1 ? `${name}, rank ${String(device.rank)}` : name;
  const { range, whole } = device;
  const at = range.at_ns;
  const higher = range.allocated !== null && whole.allocated !== null && whole.allocated > range.allocated;
  return (
    <Card
      title={title}
      note={
        <>
          {wall.length > 0 ? "peak in the range " : "peak "}
          <Num value={range.allocated} unit="bytes" /> allocated
          {at !== null && (
            <>
              {" "}
              at <Num value={at} unit="ns" />
            </>
          )}
          {higher && (
            <>
              , of the whole run <Num value={whole.allocated} unit="bytes" />
            </>
          )}
        </>
      }
      action={at !== null && <a href={linkTo("timeline", params, { begin: Math.max(0, at - 5_000_000), end: at + 5_000_000 })}>Show the peak in the timeline</a>}
    >
      <Curve device={device} wall={wall} pauses={pauses} />
      {device.changes_only && (
        <p className="hint">
          The recording tells changes, not totals: they count from its first event
          {device.anew_after_pauses ? ", and anew from the first after each pause of the recording; before that memory" : ", before which memory"} is taken
          for empty.
        </p>
      )}
    </Card>
  );
}

export function MemoryPage() {
  return (
    <Answered answer={useMemory()} what="the memory" rows={8}>
      {(memory) =>
        memory.available && memory.devices.length > 0 ? (
          <div className="cards">
            {memory.devices.map((device) => (
              <Device
                key={`${String(device.rank)} ${String(device.device)} ${device.kind}`}
                device={device}
                ranks={new Set(memory.devices.map((each) => each.rank)).size}
                wall={stretchesOf(memory.wall.filter((each) => each.rank === device.rank))}
                pauses={stretchesOf(memory.pauses.filter((each) => each.rank === device.rank))}
              />
            ))}
            <Card title="What is held at the peak" note="allocations that live when most is allocated, by the line or op that asked for them">
              <DataTable
                name="memory_peak"
                prefix="p."
                label="Memory held at the peak"
                height="half"
                bars={{ bytes: "memory" }}
                rowKey={wholeRow}
                empty="Nothing was allocated in this range."
              />
            </Card>
            <Card title="Who allocated" note="memory events by the op that made them">
              <DataTable
                name="memory_allocators"
                label="Allocating ops"
                height="half"
                bars={{ allocated_bytes: "memory" }}
                rowKey={wholeRow}
                empty="The memory events of this profile name no op."
              />
            </Card>
          </div>
        ) : (
          <Empty icon="memory" title="The profile has no memory events">
            <p>
              PyTorch records them with <code>profile_memory=True</code>; <code>opsight import</code> also reads what{" "}
              <code>torch.cuda.memory._dump_snapshot()</code> writes.
            </p>
          </Empty>
        )
      }
    </Answered>
  );
}
