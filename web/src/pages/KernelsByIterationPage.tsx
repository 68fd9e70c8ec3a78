import { useProfile } from "../api/queries";
import { useRoute } from "../address/useRoute";
import { SelectTable } from "../table/SelectTable";
import { Empty } from "../widgets/states";
import { KernelList } from "./KernelList";
import { TimelineLink } from "../table/timelineLinks";

function KernelsOf({ selected }: { selected: string }) {
  const [iteration = "", rank = ""] = selected.split("~");
  return (
    <section className="below" aria-label="Kernels of the iteration">
      <h2>
        Kernels of iteration {iteration}
        {rank && ` of rank ${rank}`}
      </h2>
      <KernelList iteration={iteration} rank={rank} op={null} here="by-iteration" label={`Kernels of iteration ${iteration}`} />
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
      bars={{ duration_ns: "gpu" }}
      height={params.get("sel") ? "half" : "full"}
      keys={["iteration", "rank"]}
      title={(row) => `Iteration ${row.text("iteration") ?? ""}`}
      actions={(row) => <TimelineLink row={row} small />}
      below={(selected) => (gpu ? <KernelsOf selected={selected} /> : <Empty icon="kernels" title="The profile has no kernels" />)}
      empty="No iterations were found. Choose what ends one under Iterations."
    />
  );
}
