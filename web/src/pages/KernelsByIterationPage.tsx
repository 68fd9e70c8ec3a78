import { useProfile } from "../api/queries";
import { useRoute } from "../app/useRoute";
import { SelectTable, TimelineLink } from "../table/SelectTable";
import { DataTable } from "../table/DataTable";
import { Empty } from "../widgets/states";
import { forContents, ITERATIONS, LAUNCHES } from "./columns";
import { rowLink } from "./links";

const OF_ITERATION = LAUNCHES.filter((key) => key !== "iteration" && key !== "rank");

function KernelsOf({ selected }: { selected: string }) {
  const { params } = useRoute();
  const [iteration, rank] = selected.split("~");
  return (
    <section className="below" aria-label="Kernels of the iteration">
      <h2>
        Kernels of iteration {iteration}
        {rank && ` of rank ${rank}`}
      </h2>
      <DataTable
        name="kernels"
        label={`Kernels of iteration ${iteration ?? ""}`}
        only={[`iteration:eq:${iteration ?? ""}`, ...(rank ? [`rank:eq:${rank}`] : [])]}
        prefix="k."
        height="half"
        columns={OF_ITERATION}
        sort="gpu_duration_ns:desc"
        bars={{ gpu_duration_ns: "gpu" }}
        rowKey={(row) => ["device", "stream", "gpu_start_ns", "correlation"].map((key) => row.text(key)).join("~")}
        link={rowLink(params, "by-iteration")}
        actions={(row) => <TimelineLink row={row} small />}
      />
    </section>
  );
}

export function KernelsByIterationPage() {
  const { params } = useRoute();
  const gpu = (useProfile()?.kernels ?? 0) > 0;
  return (
    <SelectTable
      name="iterations"
      label="Iterations"
      columns={forContents(ITERATIONS, gpu)}
      bars={{ duration_ns: "gpu" }}
      height={params.get("sel") ? "half" : "full"}
      keys={["iteration", "rank"]}
      title={(row) => `Iteration ${row.text("iteration") ?? ""}`}
      actions={(row) => <TimelineLink row={row} small />}
      below={(selected) => (gpu ? <KernelsOf selected={selected} /> : <Empty icon="kernels" title="The profile has no GPU work" />)}
      empty="No iterations were found. Choose what ends one under Iterations."
    />
  );
}
