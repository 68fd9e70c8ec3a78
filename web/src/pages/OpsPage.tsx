import { useProfile } from "../api/queries";
import { linkTo } from "../app/route";
import { useRoute } from "../app/useRoute";
import { DataTable } from "../table/DataTable";
import { FindInTimeline, SelectTable } from "../table/SelectTable";
import { Icon } from "../widgets/Icon";
import { forContents, KERNELS, OPS } from "./columns";
import { rowLink } from "./links";

const KERNELS_OF_OP = KERNELS.filter((key) => key !== "op_name" && key !== "direction" && key !== "layer");

function KernelsOf({ op }: { op: string }) {
  return (
    <section className="below" aria-label="Kernels of the op">
      <h2>Kernels of the selected op</h2>
      <DataTable
        name="ops_kernels"
        label="Kernels of the op"
        params={{ op }}
        prefix="k."
        height="half"
        columns={KERNELS_OF_OP}
        sort="total_gpu_time_ns:desc"
        bars={{ total_gpu_time_ns: "gpu" }}
        rowKey={(row) => row.text("long_kernel_name") ?? row.text("kernel_name") ?? ""}
        empty="This op launches no kernels itself. The ops that it calls may; see them in the timeline or by layer."
      />
    </section>
  );
}

export function OpsPage() {
  const { params } = useRoute();
  const gpu = (useProfile()?.kernels ?? 0) > 0;
  const selected = params.get("sel");
  return (
    <SelectTable
      name="detailed"
      label="Ops"
      columns={forContents(OPS, gpu)}
      sort={gpu ? "self_gpu_time_ns:desc" : "self_cpu_time_ns:desc"}
      bars={{ self_gpu_time_ns: "gpu", self_cpu_time_ns: "cpu" }}
      height={selected && gpu ? "half" : "full"}
      keys={["op_id"]}
      title={(row) => row.text("op_name") ?? "Op"}
      link={rowLink(params, "ops")}
      detailActions={(row) => (
        <>
          <FindInTimeline name={row.text("op_name")} />
          {gpu && (
            <a className="button small" href={linkTo("kernels", params, { tab: "launches", filter: [`op_id:eq:${row.text("op_id") ?? ""}`] })}>
              <Icon name="kernels" size={14} /> Every launch
            </a>
          )}
        </>
      )}
      below={(op) => gpu && <KernelsOf op={op} />}
      empty="The profile has no ops: it was recorded without the framework's events."
    />
  );
}
