import { useRoute, useSetParams } from "../app/useRoute";
import { FindInTimeline, SelectTable, TimelineLink } from "../table/SelectTable";
import { Tabs } from "../widgets/Tabs";
import { KERNELS, LAUNCHES } from "./columns";
import { rowLink } from "./links";

const TABS = [
  { id: "kinds", title: "By kernel and op" },
  { id: "launches", title: "Every launch" },
] as const;

const NO_KERNELS = "The profile has no GPU work. A trace recorded with CUDA or ROCm activities has.";

export function KernelsPage() {
  const { params } = useRoute();
  const setParams = useSetParams();
  const tab = params.get("tab") === "launches" ? "launches" : "kinds";
  return (
    <Tabs
      label="Kernels"
      tabs={TABS}
      chosen={tab}
      choose={(id) => {
        setParams({ tab: id, sel: null, sort: null, page: null, filter: null, search: null, cols: null });
      }}
    >
      {tab === "kinds" ? (
        <SelectTable
          name="kernel"
          label="Kernels by op"
          columns={KERNELS}
          sort="total_gpu_time_ns:desc"
          bars={{ total_gpu_time_ns: "gpu" }}
          keys={["kernel_name", "op_id"]}
          title={(row) => row.text("kernel_name") ?? "Kernel"}
          link={rowLink(params, "kernels")}
          detailActions={(row) => <FindInTimeline name={row.text("kernel_name")} />}
          empty={NO_KERNELS}
        />
      ) : (
        <SelectTable
          name="kernels"
          label="Kernel launches"
          columns={LAUNCHES}
          bars={{ gpu_duration_ns: "gpu" }}
          keys={["rank", "device", "stream", "gpu_start_ns", "correlation"]}
          title={(row) => row.text("kernel_name") ?? "Kernel"}
          link={rowLink(params, "kernels")}
          actions={(row) => <TimelineLink row={row} small />}
          empty={NO_KERNELS}
        />
      )}
    </Tabs>
  );
}
