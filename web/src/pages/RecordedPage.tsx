// What only some sources record: calls of CUDA's API and of the system, copies, counters and the like.
import { useCorrections, wrongChoice } from "../app/corrections";
import { useRoute, useSetParams } from "../app/useRoute";
import { DataTable } from "../table/DataTable";
import { identify } from "../widgets/Details";
import { Tabs } from "../widgets/Tabs";

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

export const RECORDED: readonly Shown[] = [
  {
    id: "api",
    title: "CUDA API",
    columns: ["function", "api", ...TIMES, "failed"],
    keys: ["function", "api"],
    sort: "total_time_ns:desc",
    bars: { total_time_ns: "cpu" },
    empty: "No calls of CUDA's API were recorded in this range.",
  },
  {
    id: "copies",
    title: "Copies",
    columns: ["operation", "from_memory", "to_memory", "device", "count", "total_time_ns", "bytes", "bytes_per_s", "avg_bytes", "max_bytes"],
    keys: ["rank", "device", "operation", "from_memory", "to_memory"],
    sort: "total_time_ns:desc",
    bars: { total_time_ns: "gpu" },
    empty: "No copies and sets were recorded in this range.",
  },
  {
    id: "migrations",
    title: "Migrations",
    columns: ["operation", "cause", "device", "count", "total_time_ns", "bytes", "bytes_per_s"],
    keys: ["rank", "device", "operation", "cause"],
    sort: "total_time_ns:desc",
    bars: { total_time_ns: "gpu" },
    empty: "No migrations of unified memory were recorded in this range.",
  },
  {
    id: "page_faults",
    title: "Page faults",
    columns: ["side", "access", "device", "faults", "events", "total_time_ns"],
    keys: ["rank", "device", "side", "access"],
    sort: "faults:desc",
    bars: { faults: "cpu" },
    empty: "No page faults of unified memory were recorded in this range.",
  },
  {
    id: "os_runtime",
    title: "System calls",
    columns: ["function", "traced_as", ...TIMES, "threads"],
    keys: ["function", "traced_as"],
    sort: "total_time_ns:desc",
    bars: { total_time_ns: "cpu" },
    empty: "No calls of the system were recorded in this range.",
  },
  {
    id: "file_access",
    title: "Files",
    columns: ["access", ...TIMES, "bytes", "bytes_per_s"],
    keys: ["access"],
    sort: "total_time_ns:desc",
    bars: { total_time_ns: "cpu" },
    empty: "No accesses to files were recorded in this range.",
  },
  {
    id: "libraries",
    title: "Libraries",
    columns: ["function", "library", ...TIMES],
    keys: ["function", "library"],
    sort: "total_time_ns:desc",
    bars: { total_time_ns: "cpu" },
    empty: "No calls of libraries were recorded in this range.",
  },
  {
    id: "messages",
    title: "MPI and UCX",
    columns: ["own_rank", "function", ...TIMES, "bytes", "sent_bytes", "received_bytes"],
    keys: ["own_rank", "function", "library"],
    sort: "total_time_ns:desc",
    bars: { total_time_ns: "cpu" },
    empty: "No message passing was recorded in this range.",
  },
  {
    id: "counters",
    title: "Counters",
    columns: ["subject", "device", "counter", "samples", "avg", "min", "median", "p95", "max"],
    keys: ["rank", "device", "subject", "counter"],
    sort: "subject:asc",
    bars: {},
    empty: "No counters were recorded in this range.",
  },
  {
    id: "cpu_samples",
    title: "CPU samples",
    columns: ["function", "self_samples", "self_share_pct", "samples", "share_pct"],
    keys: ["function"],
    sort: "self_samples:desc",
    bars: { self_samples: "cpu" },
    empty: "No samples of CPUs were recorded in this range.",
  },
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
