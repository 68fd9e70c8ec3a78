// The runs of a store: over time and by label, who others wait for, what ops cost over all jobs, Tensor Cores that are
// left unused, and what is found most often. The server asks what `opsight fleet report` asks.
import { useCorrections, wrongChoice } from "../address/corrections";
import { linkTo } from "../address/route";
import { useRoute, useSetParams } from "../address/useRoute";
import { useProfiles } from "../api/queries";
import type { Collection, StoreAnswer } from "../api/types";
import { Answered, Empty, ErrorState } from "../widgets/states";
import { Tabs } from "../widgets/Tabs";
import { useProfilesOfRuns, useStore, useStoreAnswer, type Choice } from "./fleet/api";
import { Choices } from "./fleet/Choices";
import { Comparison } from "./fleet/Comparison";
import { FleetReport, OnlyThisRun, type OfStore } from "./fleet/Reports";
import { Runs } from "./fleet/Runs";

const NONE_YET: ReadonlyMap<string, string> = new Map();

const TABS = [
  { id: "runs", title: "Runs" },
  { id: "ranks", title: "Ranks and hosts" },
  { id: "ops", title: "Ops" },
  { id: "tensor", title: "Tensor Cores" },
  { id: "findings", title: "Findings" },
  { id: "compare", title: "Compare" },
] as const;

function Ranks(of: OfStore) {
  return (
    <div className="cards">
      <FleetReport {...of} name="ranks" title="Slowest ranks" note="who others waited for, of all jobs" bars={{ caused_ns: "idle" }} shown={["run_name", "rank", "host", "caused_ns", "caused_pct", "cause", "cause_op", "pattern", "score", "own_ns", "iterations_last", "iterations"]} empty="No rank made others wait." />
      <FleetReport {...of} name="hosts" title="Slowest hosts" note="the same by the machine" bars={{ total_caused_ns: "idle" }} empty="No run tells its hosts." />
      <FleetReport {...of} name="links" title="Slowest links" note="process groups whose data moves slower than the middle group of the same job" bars={{ lost_ns: "communication" }} empty="No collective of two groups has both a size and a time." />
      <FleetReport {...of} name="imbalance" title="Imbalance by layer" note="layers that take longer on one rank than on the mean" bars={{ lost_ns: "gpu" }} empty="No layer ran on several ranks." />
      {of.choice.run.length === 1 && <FleetReport {...of} name="iterations" title="Iterations" note="over the ranks of this job" bars={{ total_waiting_ns: "idle" }} shown={["iteration", "ranks_count", "median_duration_ns", "longest_ns", "median_own_ns", "longest_own_ns", "last_rank", "total_waiting_ns"]} empty="The run has no iterations." />}
    </div>
  );
}

function Ops(of: OfStore) {
  return (
    <div className="cards">
      <FleetReport {...of} name="ops" title="Ops over all jobs" note="long recordings weigh more than short ones" bars={{ total_self_gpu_ns: "gpu", total_self_cpu_ns: "cpu" }} empty="No run has ops." />
      <FleetReport {...of} name="kernels" title="Kernels over all jobs" bars={{ total_gpu_ns: "gpu" }} empty="No run has kernels." />
      <FleetReport {...of} name="layers" title="Layers over all jobs" bars={{ total_self_gpu_ns: "gpu", total_self_cpu_ns: "cpu" }} empty="No run has layers." />
      <FleetReport {...of} name="collectives" title="Communication over all jobs" bars={{ total_time_ns: "communication", total_waiting_ns: "idle" }} empty="No run has communication." />
    </div>
  );
}

function TensorCores(of: OfStore) {
  return (
    <div className="cards">
      <FleetReport {...of} name="tensor_cores" title="Tensor Cores left unused" note="and what that wastes at most" bars={{ eligible_plain_ns: "other_kernel", tc_kernel_ns: "tensor_core", job_wasted_hours: "idle" }} shown={["name", "job_wasted_hours", "eligible_plain_ns", "of_device_pct", "of_kernels_pct", "tc_kernel_ns", "kernel_ns", "unknown_kernel_ns", "device_wall_ns", "device_name", "devices"]} actions={(row) => <OnlyThisRun row={row} />} empty="No run has kernels within ops that could use Tensor Cores." />
      <FleetReport {...of} name="devices" title="GPUs" note="by product" bars={{ total_busy_ns: "gpu" }} empty="No device worked in these runs." />
    </div>
  );
}

function Findings(of: OfStore) {
  return (
    <div className="cards">
      <FleetReport {...of} name="findings" title="Findings by frequency" note="what opsight advise says of the jobs" bars={{ runs_pct: "gpu", median_bound_pct: "idle" }} shown={["finding", "runs_count", "runs_pct", "high_count", "median_bound_pct", "largest_bound_pct", "worst_title", "worst_run", "kind"]} empty="Nothing was found in any run." />
    </div>
  );
}

function HowToPush({ title }: { title: string }) {
  return (
    <Empty icon="fleet" title={title}>
      A store keeps the facts of many runs, and this view shows them.
      <p>
        <code>opsight fleet push run.opsight --to fleet/ --label model=gpt</code>
      </p>
      <p>
        <code>opsight view fleet/</code>
      </p>
    </Empty>
  );
}

function Panel({ tab, ...of }: OfStore & { tab: string; runs: StoreAnswer }) {
  const table = of.runs.tables[0];
  if (tab === "ranks") return <Ranks {...of} />;
  if (tab === "ops") return <Ops {...of} />;
  if (tab === "tensor") return <TensorCores {...of} />;
  if (tab === "findings") return <Findings {...of} />;
  return table ? <Runs {...of} table={table} notes={of.runs.notes} /> : null;
}

function Store({ store }: { store: Collection }) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const choice: Choice = { store: store.id, label: params.getAll("label"), run: params.getAll("run") };
  const tab = TABS.find((each) => each.id === params.get("tab"))?.id ?? "runs";
  const profiles = useProfilesOfRuns(choice) ?? NONE_YET;
  const runs = useStoreAnswer<StoreAnswer>(choice, "reports/runs");
  const chosen = choice.label.length + choice.run.length > 0;
  if (runs.error && !runs.error.lost) {
    return (
      <>
        {chosen && <Choices store={store} choice={choice} />}
        <ErrorState
          error={runs.error}
          {...(runs.error.status === 404 ? {} : { retry: () => void runs.refetch() })}
        >
          {chosen && <a href={linkTo("fleet", new URLSearchParams(), { store: params.get("store"), tab: params.get("tab") })}>All runs of the store</a>}
        </ErrorState>
      </>
    );
  }
  return (
    <Answered answer={runs} what="the runs" rows={10}>
      {(found) =>
        !chosen && found.tables[0]?.rows.length === 0 ? (
          <HowToPush title={`The store ${store.name} has no run yet`} />
        ) : (
          <>
            {tab !== "compare" && <Choices store={store} choice={choice} />}
            <Tabs
              label="What of the runs"
              tabs={TABS}
              chosen={tab}
              choose={(id) => {
                // What was chosen so far is one side of a comparison, unless that has its own.
                setParams({ tab: id, ...(id === "compare" && !params.has("new") ? { new: [...choice.label, ...choice.run] } : {}) });
              }}
            >
              {tab === "compare" ? <Comparison store={store} /> : <Panel key={tab} tab={tab} choice={choice} profiles={profiles} runs={found} />}
            </Tabs>
          </>
        )
      }
    </Answered>
  );
}

export function FleetPage() {
  const { params } = useRoute();
  const stores = useProfiles().data?.stores ?? [];
  const store = useStore();
  useCorrections([
    ...wrongChoice(params, "tab", TABS.map((each) => each.id), "tab", "“Runs”"),
    ...(store ? wrongChoice(params, "store", stores.map((each) => each.name), "store", `“${store.name}”`) : []),
  ]);
  return store ? <Store key={store.id} store={store} /> : <HowToPush title="No store of runs is open" />;
}
