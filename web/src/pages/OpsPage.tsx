import { useDeviceWork, useTable } from "../api/queries";
import { linkTo } from "../address/route";
import { useRoute } from "../address/useRoute";
import { DataTable } from "../table/DataTable";
import { PathButton, usePathParams } from "../table/PathButton";
import { SelectTable } from "../table/SelectTable";
import { rowsOf } from "../table/row";
import { CalledFrom } from "../table/CalledFrom";
import { Icon } from "../widgets/Icon";
import { rowLink } from "./links";
import { NoOps } from "./NoOps";
import { FirstInTimeline } from "../table/timelineLinks";

// Why an op has no kernels to show.
function useWhyNone(op: string): string {
  const found = useTable("detailed", { filter: [`op_id:eq:${op}`], page_size: 1 }).data;
  const row = found && rowsOf(found)[0];
  if (found && !row) return "The selected op is not in this range.";
  if ((row?.number("self_gpu_time_ns") ?? 0) > 0) return "What this op itself does on the GPU is to copy or set memory, not kernels: find it in the timeline.";
  return "This op launches no kernels itself. The ops that it calls may; see them in the timeline or by layer.";
}

function KernelsOf({ op }: { op: string }) {
  const whyNone = useWhyNone(op);
  return (
    <section className="below" aria-label="Kernels of the op">
      <h2>Kernels of the selected op</h2>
      <DataTable
        name="ops_kernels"
        label="Kernels of the op"
        params={{ op }}
        prefix="k."
        height="half"
        sort="total_gpu_time_ns:desc"
        bars={{ total_gpu_time_ns: "gpu" }}
        rowKey={(row) => row.text("long_kernel_name") ?? row.text("kernel_name") ?? ""}
        empty={whyNone}
      />
    </section>
  );
}

export function OpsPage() {
  const { params } = useRoute();
  const gpu = useDeviceWork();
  const selected = params.get("sel");
  const path = usePathParams();
  return (
    <SelectTable
      name="detailed"
      label="Ops"
      params={path}
      tools={<PathButton />}
      sort={gpu ? "self_gpu_time_ns:desc" : "self_cpu_time_ns:desc"}
      bars={{ self_gpu_time_ns: "gpu", self_cpu_time_ns: "cpu" }}
      height={selected && gpu ? "half" : "full"}
      keys={["op_id"]}
      title={(row) => row.text("op_name") ?? "Op"}
      link={rowLink(params, "ops")}
      detailMore={(row) => <CalledFrom op={row.text("op_id")} />}
      detailActions={(row) => (
        <>
          <FirstInTimeline of={{ op: row.text("op_id") }} />
          {gpu && (
            <a className="button small" href={linkTo("kernels", params, { tab: "launches", filter: [`op_id:eq:${row.text("op_id") ?? ""}`] })}>
              <Icon name="kernels" size={14} /> Every launch
            </a>
          )}
        </>
      )}
      below={(op) => gpu && <KernelsOf op={op} />}
      empty={<NoOps />}
    />
  );
}
