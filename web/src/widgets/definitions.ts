// What heads and figures mean: the tables of docs/metrics.md, the one place that defines them.
import text from "../../../docs/metrics.md?raw";
import type { Column } from "../api/types";

const plain = (cell: string): string => cell.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "").trim();

// "Total CPU Time (ns)" is "cpu time": what is of one call or of a row stands in the text.
const bare = (name: string): string =>
  plain(name)
    .replace(/^Stream: /, "")
    .replace(/\s*\((ns|bytes|bytes\/s|Hz|B|FLOP\/B|%|1)\)/g, "")
    .replace(/\s*%$/, "")
    .replace(/^(total|avg\.?|average|min|max|median|p95|mean)\s+/i, "")
    .toLowerCase()
    .trim();

function read(): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split("\n")) {
    if (!line.startsWith("| ")) continue;
    const cells = line.split("|").slice(1, -1).map(plain);
    const [names, ...meaning] = cells;
    const said = meaning.filter(Boolean);
    if (names === undefined || said.length === 0 || /^-+$/.test(said[0] ?? "")) continue;
    // Of a table with a column for one call and one for a row, both.
    const sentence = said.length > 1 ? `Of one call: ${said[0] ?? ""}. Of a row: ${said.slice(1).join("; ")}` : (said[0] ?? "");
    for (const name of [names, ...names.split(/, |; | \(/)]) {
      const key = bare(name.replace(/\)$/, ""));
      if (key !== "" && !found.has(key)) found.set(key, sentence);
    }
  }
  return found;
}

let known: Map<string, string> | null = null;

export function definition(name: string): string | undefined {
  known ??= read();
  return known.get(plain(name).toLowerCase()) ?? known.get(bare(name));
}

export const definitionOf = (column: Column): string | undefined => definition(column.head);
