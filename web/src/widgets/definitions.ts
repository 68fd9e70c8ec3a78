// What heads and figures mean: the tables of docs/metrics.md, the one place that defines them. One word has another meaning
// in another table, so a table's heads are looked up in the sections that are about it, the first that has the word.
import text from "../../../docs/metrics.md?raw";
import type { Column } from "../api/types";

const OPS = ["Words of ops and layers", "Time of ops", "Work, bytes and bounds"];
const KERNELS = ["Words of kernels", "Work, bytes and bounds"];
const ROOFLINE = ["Words of the roofline", "Work, bytes and bounds"];
const CALLS = ["Words of what some sources record"];

// By the name of the table at the server.
export const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  detailed: OPS,
  iteration_ops: OPS,
  op_type: OPS,
  op_names: OPS,
  group_op: OPS,
  op_stacks: ["Time of ops"],
  tensor_core: ["Words of Tensor Core use", "Tensor Cores"],
  kernel: KERNELS,
  kernel_name: KERNELS,
  ops_kernels: KERNELS,
  kernels: KERNELS,
  iteration: KERNELS,
  iteration_op_kernels: KERNELS,
  iterations: ["Words of iterations"],
  devices: ["Words of devices", "Devices and resources"],
  streams: ["Words of streams", "Devices and resources"],
  ranges: ["Words of ranges", "Ranges"],
  memory_allocators: ["Words of memory"],
  communication: ["Words of communication"],
  overlap: ["Words of communication"],
  roofline: ROOFLINE,
  roofline_layers: ROOFLINE,
  roofline_kernels: ROOFLINE,
  uncounted: ROOFLINE,
  roofline_ceilings: ["Words of ceilings"],
  model_nodes: ["Words of the network", "Estimates of networks"],
  diagnostics: ["Words of diagnostics"],
  key_ops: ["Words of what can end iterations"],
  api: CALLS,
  copies: CALLS,
  migrations: CALLS,
  page_faults: CALLS,
  os_runtime: CALLS,
  file_access: CALLS,
  libraries: CALLS,
  messages: CALLS,
  counters: ["Words of counters and samples"],
  cpu_samples: ["Words of counters and samples"],
  scheduling: ["Words of counters and samples"],
};
const EVERYWHERE = "Words of all tables";
const TILES = "Words of tiles";

type Words = Map<string, string>;

const plain = (cell: string): string => cell.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "").trim();

// A head without its unit.
const word = (name: string): string =>
  plain(name)
    .replace(/^Stream: /, "")
    .replace(/\s*\((ns|bytes|bytes\/s|Hz|B|FLOP\/B|1)\)/g, "")
    .replace(/\(%\)/g, "%")
    .toLowerCase()
    .trim();

// "total cpu time" is "cpu time": what is of one call or of a row stands in the text.
const bare = (name: string): string => word(name).replace(/^(total|avg\.?|average|min|max|median|p95|mean)\s+/, "");

function addRow(words: Words, line: string): void {
  const [names, ...meaning] = line.split("|").slice(1, -1).map(plain);
  const said = meaning.filter(Boolean);
  if (names === undefined || said.length === 0 || /^-+$/.test(said[0] ?? "")) return;
  // Of a table with a column for one call and one for a row, both.
  const sentence = said.length > 1 ? `Of one call: ${said[0] ?? ""}. Of a row: ${said.slice(1).join("; ")}` : (said[0] ?? "");
  for (const name of [names, ...names.replace(/\(%\)/g, "%").split(/, |; | \(/)]) {
    const key = word(name.replace(/\)$/, ""));
    if (key !== "" && !words.has(key)) words.set(key, sentence);
  }
}

// The tables of each section, and of each section within one.
function read(): Map<string, Words> {
  const sections = new Map<string, Words>();
  let words: Words = new Map();
  for (const line of text.split("\n")) {
    const title = /^##+ (.*)/.exec(line)?.[1];
    if (title !== undefined) sections.set(title, (words = new Map()));
    else if (line.startsWith("| ")) addRow(words, line);
  }
  return sections;
}

let known: Map<string, Words> | null = null;

export function wordsOf(section: string): Words | undefined {
  known ??= read();
  return known.get(section);
}

function find(sections: readonly string[], name: string): string | undefined {
  for (const key of [word(name), bare(name)])
    for (const section of sections) {
      const found = wordsOf(section)?.get(key);
      if (found !== undefined) return found;
    }
  return undefined;
}

// Of a column of one of the server's tables; undefined where nothing that is defined is about it.
export function definitionOf(table: string, column: Pick<Column, "header">): string | undefined {
  const sections = SECTIONS[table];
  return sections && find([...sections, EVERYWHERE], column.header);
}

// Of a tile of the dashboard, or a line in one.
export const definitionOfTile = (name: string): string | undefined => find([TILES], name);
