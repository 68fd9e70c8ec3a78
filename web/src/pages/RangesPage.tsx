// What the program names itself: NVTX ranges, or the annotations that other sources have.
import { useProfile } from "../api/queries";
import { linkTo } from "../app/route";
import { useRoute } from "../app/useRoute";
import { FirstInTimeline, SelectTable } from "../table/SelectTable";
import type { Row } from "../table/row";
import { Icon } from "../widgets/Icon";
import { forContents, RANGES } from "./columns";

// Each range of that name an iteration; of one that is there once there is nothing to choose.
function AsIterations({ row }: { row: Row }) {
  const { params } = useRoute();
  const name = row.text("range");
  if (name === null || (row.number("calls") ?? 0) < 2) return null;
  const href = linkTo("iterations", params, { iter_start: null, iter_stop: null, all: null, whole: null, aggregation: null, key_op: null, iteration_range: patternOf(name) });
  return (
    <a className="button small" href={href} title={`Every number is then about iterations that are the ranges “${name}”`}>
      <Icon name="iterations" size={14} /> Take as iterations
    </a>
  );
}

// A pattern that this name alone matches.
export const patternOf = (name: string): string => `^${name.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&")}$`;

export const NO_RANGES = (
  <>
    <p>
      The recording has no named ranges. In C and C++, <code>nvtxRangePush(&quot;step&quot;)</code> and <code>nvtxRangePop()</code> around the parts of a
      program name them, in Python <code>torch.profiler.record_function</code> or the package <code>nvtx</code>.
    </p>
  </>
);

export function RangesPage() {
  const gpu = (useProfile()?.kernels ?? 0) > 0;
  return (
    <SelectTable
      name="ranges"
      label="Ranges"
      columns={forContents(RANGES, gpu)}
      sort="self_time_ns:desc"
      bars={{ self_time_ns: "cpu", total_time_ns: "cpu", projected_gpu_time_ns: "gpu" }}
      keys={["range_id"]}
      title={(row) => row.text("range") ?? "Range"}
      detailActions={(row) => (
        <>
          <FirstInTimeline of={{ range: row.text("range_id") }} />
          <AsIterations row={row} />
        </>
      )}
      empty={NO_RANGES}
    />
  );
}
