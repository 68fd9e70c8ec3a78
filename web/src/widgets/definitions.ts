// What the tiles of the dashboard mean: a table of docs/metrics.md, the one place that defines them. What columns mean comes
// with their tables.
import text from "../../../docs/metrics.md?raw";

const plain = (cell: string): string => cell.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "").trim();

function read(): Map<string, string> {
  const words = new Map<string, string>();
  const section = text.split(/^##+ /m).find((part) => part.startsWith("Words of tiles")) ?? "";
  for (const line of section.split("\n")) {
    const [names = "", meaning] = line.startsWith("| ") ? line.split("|").slice(1, -1).map(plain) : [];
    for (const name of meaning ? [names, ...names.split(", ")] : []) words.set(name.toLowerCase(), meaning ?? "");
  }
  return words;
}

let known: Map<string, string> | null = null;

// Of a tile, or a line in one.
export function definitionOfTile(name: string): string | undefined {
  known ??= read();
  return known.get(name.toLowerCase());
}
