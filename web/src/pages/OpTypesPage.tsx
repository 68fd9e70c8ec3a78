import { useDeviceWork } from "../api/queries";
import { useRoute } from "../address/useRoute";
import { SelectTable } from "../table/SelectTable";
import { rowLink } from "./links";
import { NoOps } from "./NoOps";

export function OpTypesPage() {
  const { params } = useRoute();
  const gpu = useDeviceWork();
  const time = gpu ? "self_gpu_time_ns" : "self_cpu_time_ns";
  return (
    <SelectTable
      name="op_type"
      label="Op types"
      sort={`${time}:desc`}
      bars={{ self_gpu_time_ns: "gpu", self_cpu_time_ns: "cpu" }}
      keys={["op_type"]}
      title={(row) => row.text("op_type") ?? "Op type"}
      link={rowLink(params, "types")}
      empty={<NoOps />}
    />
  );
}
