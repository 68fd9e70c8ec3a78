// What only some sources record: calls of CUDA's API and of the system, copies, counters and the like.
import { useCorrections, wrongChoice } from "../address/corrections";
import { useRoute, useSetParams } from "../address/useRoute";
import { DataTable } from "../table/DataTable";
import { Tabs } from "../widgets/Tabs";
import { identify } from "../table/row";

interface Shown {
  id: string; // of the server's table
  title: string;
  columns: readonly string[]; // shown at first
  keys: readonly string[]; // that tell rows apart
  sort: string;
  bars: Readonly<Record<string, string>>;
  empty: string;
}

const TIMES = ["calls", "total_time_ns", "share_pct", "avg_time_ns", "median_time_ns", "max_time_ns"];

// Sorted by what takes most, with a bar behind it in `colour`; `what` was not recorded where there are no rows.
function table(id: string, title: string, what: string, columns: readonly string[], keys: readonly string[], by = "total_time_ns", colour = "cpu"): Shown {
  return { id, title, columns, keys, sort: `${by}:desc`, bars: { [by]: colour }, empty: `No ${what} were recorded in this range.` };
}

const PLACE = ["rank", "device"];
const MOVED = ["operation", "from_memory", "to_memory"];
const RATE = ["bytes", "bytes_per_s"];

export const RECORDED: readonly Shown[] = [
  table("api", "CUDA API", "calls of CUDA's API", ["function", "api", ...TIMES, "failed"], ["function", "api"]),
  table("copies", "Copies", "copies and sets", [...MOVED, "device", "count", "total_time_ns", ...RATE, "avg_bytes", "max_bytes"], [...PLACE, ...MOVED], "total_time_ns", "gpu"),
  table("migrations", "Migrations", "migrations of unified memory", ["operation", "cause", "device", "count", "total_time_ns", ...RATE], [...PLACE, "operation", "cause"], "total_time_ns", "gpu"),
  table("page_faults", "Page faults", "page faults of unified memory", ["side", "access", "device", "faults", "events", "total_time_ns"], [...PLACE, "side", "access"], "faults"),
  table("os_runtime", "System calls", "calls of the system", ["function", "traced_as", ...TIMES, "threads"], ["function", "traced_as"]),
  table("file_access", "Files", "accesses to files", ["access", ...TIMES, ...RATE], ["access"]),
  table("libraries", "Libraries", "calls of libraries", ["function", "library", ...TIMES], ["function", "library"]),
  table("messages", "MPI and UCX", "messages", ["own_rank", "function", ...TIMES, "bytes", "sent_bytes", "received_bytes"], ["own_rank", "function", "library"]),
  {
    ...table("counters", "Counters", "counters", ["subject", "device", "counter", "samples", "avg", "min", "median", "p95", "max"], [...PLACE, "subject", "counter"]),
    sort: "subject:asc",
    bars: {},
  },
  table("cpu_samples", "CPU samples", "samples of CPUs", ["function", "self_samples", "self_share_pct", "samples", "share_pct"], ["function"], "self_samples"),
  table("scheduling", "Scheduling", "switches of threads", ["process", "thread", "on_cpu_ns", "on_cpu_pct", "stretches", "avg_ns", "max_ns", "cpus"], ["rank", "process", "thread"], "on_cpu_ns"),
];

export function RecordedPage() {
  const { params } = useRoute();
  const setParams = useSetParams();
  useCorrections(wrongChoice(params, "tab", RECORDED.map((each) => each.id), "tab", "“CUDA API”"));
  const shown = RECORDED.find((each) => each.id === params.get("tab")) ?? RECORDED[0];
  if (!shown) return null;
  return (
    <Tabs
      label="What was recorded"
      tabs={RECORDED}
      chosen={shown.id}
      choose={(id) => {
        setParams({ tab: id, sort: null, page: null, search: null, filter: null, cols: null, sel: null });
      }}
    >
      <DataTable
        key={shown.id}
        name={shown.id}
        label={shown.title}
        columns={shown.columns}
        sort={shown.sort}
        bars={shown.bars}
        rowKey={(row) => identify(row, shown.keys)}
        empty={shown.empty}
      />
    </Tabs>
  );
}
