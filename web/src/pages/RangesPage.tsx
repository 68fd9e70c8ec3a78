// What the program names itself: NVTX ranges, or the annotations that other sources have.
import { linkTo, NO_RANGE } from "../address/route";
import { useRoute, useSetParams } from "../address/useRoute";
import { SelectTable } from "../table/SelectTable";
import type { Row } from "../table/row";
import { Icon } from "../widgets/Icon";
import { FirstInTimeline } from "../table/timelineLinks";

// Each range of that name an iteration; of one that is there once there is nothing to choose.
function AsIterations({ row, merged }: { row: Row; merged: boolean }) {
  const { params } = useRoute();
  const name = row.text("range");
  if (name === null || (row.number("calls") ?? 0) < 2) return null;
  const href = linkTo("iterations", params, { ...NO_RANGE, iteration_range: patternOf(name, merged) });
  return (
    <a className="button small" href={href} title={`Every number is then about iterations that are the ranges “${name}”`}>
      <Icon name="iterations" size={14} /> Take as iterations
    </a>
  );
}

// A pattern that this name alone matches; of merged names all that differ from it in their numbers.
export function patternOf(name: string, merged = false): string {
  const text = name.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");
  return `^${merged ? text.replaceAll("#", "([0-9]+|#)") : text}$`;
}

// As `--merge-numbers` of the reports: "layer 3" and "layer 17" are one row, "layer #".
function MergeNumbers({ on }: { on: boolean }) {
  const setParams = useSetParams();
  return (
    <button
      type="button"
      className="button"
      aria-pressed={on}
      title="Ranges whose names differ in numbers alone are one row: “layer 3” and “layer 17” are “layer #”"
      onClick={() => {
        setParams({ merge: on ? null : 1, page: null, sel: null });
      }}
    >
      Merge numbers
    </button>
  );
}

export const NO_RANGES = (
  <>
    <p>
      The recording has no named ranges. In C and C++, <code>nvtxRangePush(&quot;step&quot;)</code> and <code>nvtxRangePop()</code> around the parts of a
      program name them, in Python <code>torch.profiler.record_function</code> or the package <code>nvtx</code>.
    </p>
  </>
);

export function RangesPage() {
  const merged = useRoute().params.get("merge") === "1";
  return (
    <SelectTable
      name="ranges"
      label="Ranges"
      sort="self_time_ns:desc"
      params={merged ? { merge_numbers: true } : {}}
      tools={<MergeNumbers on={merged} />}
      bars={{ self_time_ns: "cpu", total_time_ns: "cpu", projected_gpu_time_ns: "gpu" }}
      keys={["range_id"]}
      title={(row) => row.text("range") ?? "Range"}
      detailActions={(row) => (
        <>
          <FirstInTimeline of={{ range: row.text("range_id") }} />
          <AsIterations row={row} merged={merged} />
        </>
      )}
      empty={NO_RANGES}
    />
  );
}
