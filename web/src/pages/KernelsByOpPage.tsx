// From an iteration to its ops to their kernels: three tables, the choice in each fills the next.
import { useCorrections } from "../address/corrections";
import { useRoute, useSetParams } from "../address/useRoute";
import { useTable } from "../api/queries";
import { notThere } from "../table/state";
import { DataTable } from "../table/DataTable";
import { Empty } from "../widgets/states";
import { KernelList } from "./KernelList";
import { filtersOf, identify } from "../table/row";
import { TimelineLink } from "../table/timelineLinks";

function Ops({ iteration, rank, op }: { iteration: string; rank: string; op: string | null }) {
  const setParams = useSetParams();
  return (
    <DataTable
      name="iteration_ops"
      label={`Ops of iteration ${iteration}`}
      params={{ iteration, by_rank: rank !== "" }}
      only={rank === "" ? [] : [`rank:eq:${rank}`]}
      prefix="o."
      height="half"
      sort="self_gpu_time_ns:desc"
      bars={{ self_gpu_time_ns: "gpu" }}
      rowKey={(row) => row.text("op_id") ?? ""}
      selected={op}
      onSelect={(_, key) => {
        setParams({ op: key, "k.page": null });
      }}
      actions={(row) => <TimelineLink row={row} small />}
    />
  );
}

const CHOICE = ["iteration", "rank"];

// An iteration or an op in the address that this range does not have.
function useWhatIsThere(choice: string | null, op: string | null): void {
  const [iteration, rank] = choice?.split("~") ?? [];
  const chosen = useTable("iteration_choice", { filter: filtersOf(CHOICE, choice ?? ""), page_size: 1 }, choice !== null);
  const there = !chosen.isPlaceholderData && (chosen.data?.rows.length ?? 0) > 0;
  const run = useTable("iteration_ops", { iteration, by_rank: (rank ?? "") !== "", filter: [`op_id:eq:${op ?? ""}`, ...(rank ? [`rank:eq:${rank}`] : [])], page_size: 1 }, there && op !== null);
  const all = { sel: `There is no iteration “${iteration ?? ""}”${rank ? ` of rank ${rank}` : ""} in this range: none is selected.`, op: `Iteration ${iteration ?? ""} has no op “${op ?? ""}”: none is selected.` };
  const wrong: ("sel" | "op")[] = choice !== null && notThere(chosen) ? ["sel"] : op !== null && there && notThere(run) ? ["op"] : [];
  useCorrections(wrong.map((key) => ({ key, to: null, text: all[key] })));
}

export function KernelsByOpPage() {
  const { params } = useRoute();
  const setParams = useSetParams();
  const [iteration, rank] = params.get("sel")?.split("~") ?? [];
  const op = params.get("op");
  useWhatIsThere(params.get("sel"), op);
  return (
    <div className="drill">
      <section aria-label="Iterations">
        <h2>1. Iteration</h2>
        <DataTable
          name="iteration_choice"
          label="Iterations"
          rowKey={(row) => identify(row, CHOICE)}
          selected={params.get("sel")}
          onSelect={(_, key) => {
            setParams({ sel: key, op: null, "o.page": null, "k.page": null });
          }}
          empty="No iterations were found. Choose what ends one under Iterations."
        />
      </section>
      <div className="drill-rest">
        <section aria-label="Ops">
          <h2>2. Op{iteration && ` of iteration ${iteration}`}</h2>
          {iteration === undefined ? (
            <Empty icon="byOp" title="Select an iteration">
              Its ops and their kernels are shown here.
            </Empty>
          ) : (
            <Ops iteration={iteration} rank={rank ?? ""} op={op} />
          )}
        </section>
        {iteration !== undefined && (
          <section aria-label="Kernels">
            <h2>3. Kernels</h2>
            {op === null ? (
              <Empty icon="kernels" title="Select an op" />
            ) : (
              <KernelList
                iteration={iteration}
                rank={rank ?? ""}
                op={op}
                here="by-op"
                label="Kernels of the op in the iteration"
                empty="This op launches no kernels itself in this iteration."
              />
            )}
          </section>
        )}
      </div>
    </div>
  );
}
