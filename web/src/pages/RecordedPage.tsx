// What only some sources record: calls of CUDA's API and of the system, copies, counters and the like.
import { useCorrections, wrongChoice } from "../address/corrections";
import { useRoute, useSetParams } from "../address/useRoute";
import { DataTable } from "../table/DataTable";
import { useDeviceWords } from "../widgets/deviceWords";
import { Tabs } from "../widgets/Tabs";
import { identify } from "../table/row";

interface Shown {
  id: string; // of the server's table
  title: string;
  keys: readonly string[]; // that tell rows apart
  sort: string;
  bars: Readonly<Record<string, string>>;
  empty: string;
}

// Sorted by what takes most, with a bar behind it in `colour`; `what` was not recorded where there are no rows.
function table(id: string, title: string, what: string, keys: readonly string[], by = "total_time_ns", colour = "cpu"): Shown {
  return { id, title, keys, sort: `${by}:desc`, bars: { [by]: colour }, empty: `No ${what} were recorded in this range.` };
}

const PLACE = ["rank", "device"];
const MOVED = ["operation", "from_memory", "to_memory"];

export const RECORDED: readonly Shown[] = [
  table("api", "CUDA API", "calls of CUDA's API", ["function", "api"]),
  table("copies", "Copies", "copies and sets", [...PLACE, ...MOVED], "total_time_ns", "gpu"),
  table("migrations", "Migrations", "migrations of unified memory", [...PLACE, "operation", "cause"], "total_time_ns", "gpu"),
  table("page_faults", "Page faults", "page faults of unified memory", [...PLACE, "side", "access"], "faults"),
  table("os_runtime", "System calls", "calls of the system", ["function", "traced_as"]),
  table("file_access", "Files", "accesses to files", ["access"]),
  table("libraries", "Libraries", "calls of libraries", ["function", "library"]),
  table("messages", "MPI and UCX", "messages", ["own_rank", "function", "library"]),
  {
    ...table("counters", "Counters", "counters", [...PLACE, "subject", "counter"]),
    sort: "subject:asc",
    bars: {},
  },
  table("cpu_samples", "CPU samples", "samples of CPUs", ["function"], "self_samples"),
  table("scheduling", "Scheduling", "switches of threads", ["rank", "process", "thread"], "on_cpu_ns"),
];

export function RecordedPage() {
  const { params } = useRoute();
  const setParams = useSetParams();
  useCorrections(wrongChoice(params, "tab", RECORDED.map((each) => each.id), "tab", "“CUDA API”"));
  const say = useDeviceWords();
  const shown = RECORDED.find((each) => each.id === params.get("tab")) ?? RECORDED[0];
  if (!shown) return null;
  return (
    <Tabs
      label="What was recorded"
      tabs={RECORDED.map((each) => ({ ...each, title: say(each.title) }))}
      chosen={shown.id}
      choose={(id) => {
        setParams({ tab: id, sort: null, page: null, search: null, filter: null, cols: null, sel: null });
      }}
    >
      <DataTable
        key={shown.id}
        name={shown.id}
        label={say(shown.title)}
        sort={shown.sort}
        bars={shown.bars}
        rowKey={(row) => identify(row, shown.keys)}
        empty={say(shown.empty)}
      />
    </Tabs>
  );
}
