// Ops of equal names are told apart by what differs: their layer, else their shapes or types.
import { formatShapes, formatTypes } from "../widgets/format";
import { layerTail } from "./cells";
import type { Row } from "./row";

const PARTS: readonly (readonly [string, (text: string) => string])[] = [
  ["layer", layerTail],
  ["shapes", formatShapes],
  ["dtypes", formatTypes],
  ["direction", (text) => text],
];

const distinct = (texts: readonly string[]): number => new Set(texts).size;

// For each row what to say beside its name; "" where the name alone is enough.
export function tellApart(rows: readonly Row[]): string[] {
  const groups = new Map<string, number[]>();
  rows.forEach((row, at) => {
    const name = row.text("op_name") ?? "";
    groups.set(name, [...(groups.get(name) ?? []), at]);
  });
  const said = rows.map(() => "");
  for (const group of groups.values()) {
    const ops = distinct(group.map((at) => rows[at]?.text("op_id") ?? ""));
    if (ops < 2) continue;
    let now = group.map(() => "");
    for (const [key, show] of PARTS) {
      if (distinct(now) >= ops) break;
      const next = group.map((at, i) => [now[i], show(rows[at]?.text(key) ?? "")].filter(Boolean).join(" · "));
      if (distinct(next) > distinct(now)) now = next;
    }
    group.forEach((at, i) => {
      said[at] = now[i] ?? "";
    });
  }
  return said;
}
