// What is looked at in both runs, as it stands in the address: `op:12:15`, numbers of ops in the profiles before and
// after, or `layer:PATH:PATH`; an empty one where that side has nothing of the kind.
import type { Row } from "../../table/row";

export interface Pick {
  what: "op" | "layer";
  base: string | null;
  new: string | null;
}

export function pickOf(text: string | null): Pick | null {
  const [, what, base, next] = /^(op|layer):([^:]*):([^:]*)$/.exec(text ?? "") ?? [];
  if (what === undefined || base === undefined || next === undefined || base + next === "") return null;
  if (what === "op" && !/^\d*$/.test(base + next)) return null;
  const read = (part: string): string | null => {
    try {
      return part === "" ? null : decodeURIComponent(part);
    } catch {
      return null;
    }
  };
  return { what: what === "op" ? "op" : "layer", base: read(base), new: read(next) };
}

export function pickText({ what, base, new: next }: Pick): string {
  return `${what}:${encodeURIComponent(base ?? "")}:${encodeURIComponent(next ?? "")}`;
}

// Of a row of the tables of layers, ops or kernels; null: it is about work that nothing launched.
export function pickOfRow(row: Row, table: string): string | null {
  const what = table === "layers" ? "layer" : "op";
  const key = what === "layer" ? "layer" : "op_id";
  const pick: Pick = { what, base: row.text(`base_${key}`), new: row.text(`new_${key}`) };
  return pick.base === null && pick.new === null ? null : pickText(pick);
}
