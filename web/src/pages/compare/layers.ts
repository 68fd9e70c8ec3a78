// The layers of two runs as two trees whose blocks know each other, and their picture.
import type { Table } from "../../api/types";

export type Measure = "gpu" | "cpu";
export type Side = "base" | "new";

export interface Layer {
  path: string; // "/" is the root
  name: string;
  other: string | null; // path of what belongs to it on the other side; null: nothing does
  ns: number; // with all that is below it
  more: number; // layers beside it that are in it, for a loop calls one in their place on the other side
  children: Layer[];
}

export interface Pair {
  base: Layer;
  new: Layer;
}

const partsOf = (path: string): string[] => path.split("/").filter(Boolean);
const pathOf = (parts: readonly string[]): string => `/${parts.join("/")}`;
const parentOf = (path: string): string => pathOf(partsOf(path).slice(0, -1));
const byNumber = new Intl.Collator("en", { numeric: true });

interface Own {
  path: string;
  other: string | null;
  ns: number;
  more: number;
}

function ownOf(table: Table, side: Side, measure: Measure): Own[] {
  const at = (key: string): number => table.columns.findIndex((column) => column.key === key);
  const mine = at(`${side}_layer`);
  const others = at(side === "base" ? "new_layer" : "base_layer");
  const time = at(`${side}_${measure}_ns`);
  const layers = at(`${side}_layers`);
  return table.rows.flatMap((row) => {
    const path = row[mine];
    const other = row[others];
    if (typeof path !== "string") return [];
    return [{ path, other: typeof other === "string" ? other : null, ns: Number(row[time] ?? 0), more: Math.max(0, Number(row[layers] ?? 1) - 1) }];
  });
}

// Layers that have no ops of their own stand in no row: they belong to what their children belong to.
function treeOf(own: readonly Own[]): Layer {
  const root: Layer = { path: "/", name: "all", other: "/", ns: 0, more: 0, children: [] };
  const known = new Map<string, Layer>([["/", root]]);
  const told = new Set<string>(["/"]);
  const layer = (path: string): Layer => {
    const found = known.get(path);
    if (found) return found;
    const made: Layer = { path, name: partsOf(path).at(-1) ?? "", other: null, ns: 0, more: 0, children: [] };
    known.set(path, made);
    layer(parentOf(path)).children.push(made);
    return made;
  };
  for (const each of own) {
    const node = layer(each.path);
    if (each.path !== "/") node.other = each.other;
    node.more = each.more;
    told.add(each.path);
    for (let at = node; ; at = layer(parentOf(at.path))) {
      at.ns += each.ns;
      if (at.path === "/") break;
    }
  }
  const settle = (node: Layer) => {
    node.children.sort((a, b) => byNumber.compare(a.path, b.path));
    node.children.forEach(settle);
    if (told.has(node.path)) return;
    const child = node.children.find((each) => each.other !== null && each.other !== "/");
    node.other = child?.other ? parentOf(child.other) : null;
  };
  settle(root);
  return root;
}

export function layerPair(table: Table, measure: Measure): Pair {
  return { base: treeOf(ownOf(table, "base", measure)), new: treeOf(ownOf(table, "new", measure)) };
}

// "0 and 2 more"
export const nameOf = (layer: Layer): string => (layer.more > 0 ? `${layer.name} and ${String(layer.more)} more` : layer.name);

export function findLayer(root: Layer, path: string): Layer | null {
  if (root.path === path) return root;
  for (const child of root.children) {
    if (path !== child.path && !path.startsWith(`${child.path}/`)) continue;
    const found = findLayer(child, path);
    if (found) return found;
  }
  return null;
}

export interface Block {
  layer: Layer;
  depth: number;
  x: number; // of `whole`
  width: number;
  change: number | null; // ns from before to after; null: the other side has nothing that belongs to it
}

// As wide as its time on a scale that both sides share; blocks narrower than `least` are left out.
export function blocksOf(pair: Pair, side: Side, whole: number, least: number): Block[] {
  const other = pair[side === "base" ? "new" : "base"];
  const blocks: Block[] = [];
  const place = (layer: Layer, depth: number, x: number) => {
    const width = whole > 0 ? layer.ns / whole : 0;
    if (width < least) return;
    const match = layer.other === null ? null : findLayer(other, layer.other);
    blocks.push({ layer, depth, x, width, change: match && (side === "base" ? match.ns - layer.ns : layer.ns - match.ns) });
    let at = x;
    for (const child of layer.children) {
      place(child, depth + 1, at);
      at += whole > 0 ? child.ns / whole : 0;
    }
  };
  place(pair[side], 0, 0);
  return blocks;
}

// How strongly a block is coloured, from -3 (faster) to 3 (slower), by its part of the greatest difference below the
// root. What the other side lacks is all difference.
export function shadeOf(block: Block, side: Side, most: number): number {
  const change = block.change ?? (side === "base" ? -block.layer.ns : block.layer.ns);
  if (most <= 0 || change === 0) return 0;
  const part = Math.min(1, Math.abs(change) / most);
  const shade = part < 0.02 ? 0 : part < 0.2 ? 1 : part < 0.6 ? 2 : 3;
  return change < 0 ? -shade : shade;
}

export function mostOf(pair: Pair): number {
  const changes = (["base", "new"] as const).flatMap((side) =>
    blocksOf(pair, side, 1, -1)
      .filter((block) => block.depth > 0)
      .map((block) => Math.abs(block.change ?? block.layer.ns)),
  );
  return Math.max(0, ...changes);
}
