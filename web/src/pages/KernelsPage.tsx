import { useCorrections, wrongChoice } from "../address/corrections";
import { useRoute, useSetParams } from "../address/useRoute";
import { PathButton, usePathParams } from "../table/PathButton";
import { SelectTable } from "../table/SelectTable";
import { CalledFrom } from "../table/CalledFrom";
import type { Row } from "../table/row";
import { ringText } from "../widgets/format";
import { useDeviceWords } from "../widgets/deviceWords";
import { Tabs } from "../widgets/Tabs";
import { rowLink } from "./links";
import { FirstInTimeline, TimelineLink } from "../table/timelineLinks";

const TABS = [
  { id: "kinds", title: "By kernel and op" },
  { id: "launches", title: "Every launch" },
  { id: "tensor", title: "Tensor Core use" },
] as const;

const NO_KERNELS = "No GPU work was recorded. A trace recorded with CUDA or ROCm activities has it.";

function Kinds() {
  const { params } = useRoute();
  const path = usePathParams();
  return (
    <SelectTable
      name="kernel"
      label="Kernels by op"
      params={path}
      tools={<PathButton />}
      sort="total_gpu_time_ns:desc"
      bars={{ total_gpu_time_ns: "gpu" }}
      keys={["kernel_name", "op_id"]}
      title={(row) => row.text("kernel_name") ?? "Kernel"}
      link={rowLink(params, "kernels")}
      detailMore={(row) => <CalledFrom op={row.text("op_id")} />}
      detailActions={(row) => <FirstInTimeline of={{ kernel: row.text("long_kernel_name") ?? row.text("kernel_name"), op: row.text("op_id") }} />}
      empty={NO_KERNELS}
    />
  );
}

function Launches() {
  const { params } = useRoute();
  return (
    <SelectTable
      name="kernels"
      label="Kernel launches"
      bars={{ gpu_duration_ns: "gpu" }}
      keys={["rank", "device", "stream", "gpu_start_ns", "correlation"]}
      title={(row) => row.text("kernel_name") ?? "Kernel"}
      link={rowLink(params, "kernels")}
      detailMore={(row) => <CalledFrom op={row.text("op_id")} />}
      actions={(row) => <TimelineLink row={row} small />}
      empty={NO_KERNELS}
    />
  );
}

// Where kernels do not tell, a use is known within bounds.
function between(row: Row): string | undefined {
  const low = row.number("tc_utilization_low_pct");
  return low === null ? undefined : ringText(low, row.number("tc_utilization_high_pct"));
}

// Ops that could use Tensor Cores, and how much they do.
function TensorCores() {
  const { params } = useRoute();
  const say = useDeviceWords();
  return (
    <SelectTable
      name="tensor_core"
      label={say("Ops that can use Tensor Cores")}
      sort="non_tc_gpu_time_ns:desc"
      bars={{ tc_gpu_time_ns: "tensor_core", non_tc_gpu_time_ns: "other_kernel" }}
      keys={["op_id"]}
      cell={(row, column) => (column.key === "tc_utilization_pct" && row.number(column.key) === null ? between(row) : undefined)}
      title={(row) => row.text("op_name") ?? "Op"}
      link={rowLink(params, "kernels")}
      detailMore={(row) => <CalledFrom op={row.text("op_id")} />}
      detailActions={(row) => <FirstInTimeline of={{ op: row.text("op_id") }} />}
      empty={say("No op of this range could use Tensor Cores.")}
    />
  );
}

const PANELS: Record<string, () => React.JSX.Element> = { kinds: Kinds, launches: Launches, tensor: TensorCores };

export function KernelsPage() {
  const { params } = useRoute();
  const setParams = useSetParams();
  useCorrections(wrongChoice(params, "tab", TABS.map((each) => each.id), "tab", "“By kernel and op”"));
  const tab = TABS.find((each) => each.id === params.get("tab"))?.id ?? "kinds";
  const Panel = PANELS[tab] ?? Kinds;
  const say = useDeviceWords();
  return (
    <Tabs
      label="Kernels"
      tabs={TABS.map((each) => ({ ...each, title: say(each.title) }))}
      chosen={tab}
      choose={(id) => {
        setParams({ tab: id, sel: null, sort: null, page: null, filter: null, search: null, cols: null });
      }}
    >
      <Panel key={tab} />
    </Tabs>
  );
}
