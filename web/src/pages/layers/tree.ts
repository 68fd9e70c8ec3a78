// The tree of layers as the server lists it (parents before children), and its two pictures.
import type { LayerRow, LayerTimes } from "../../api/types";

export interface Node {
  row: LayerRow;
  path: string; // "ResNet/layer1/0"; the root is ""
  children: Node[];
}

export type Measure = "gpu_ns" | "cpu_ns";
export type Side = "fwd" | "bwd";

// How tables spell a path is not how all of them do: "/ResNet/layer1/" is "ResNet/layer1".
export const normal = (path: string): string => path.replace(/^\/+|\/+$/g, "");

export function buildTree(rows: readonly LayerRow[]): Node[] {
  const byId = new Map<number, Node>();
  const roots: Node[] = [];
  for (const row of rows) {
    const parent = row.parent === null ? undefined : byId.get(row.parent);
    const node: Node = { row, path: normal(row.path), children: [] };
    byId.set(row.id, node);
    (parent?.children ?? roots).push(node);
  }
  return roots;
}

export function findPath(roots: readonly Node[], path: string): Node[] | null {
  for (const node of roots) {
    if (node.path === path) return [node];
    const below = findPath(node.children, path);
    if (below) return [node, ...below];
  }
  return null;
}

export type SortKey = "name" | "calls" | "kernels" | `${Side | "self"}.${Measure}`;

export function valueOf(row: LayerRow, key: SortKey): number | string {
  if (key === "name") return row.name;
  if (key === "calls") return row.calls;
  if (key === "kernels") return row.fwd.kernels + row.bwd.kernels;
  const [side, measure] = key.split(".") as [Side | "self", Measure];
  return (row[side] as LayerTimes)[measure];
}

export interface Order {
  key: SortKey;
  falling: boolean;
}

export interface Line {
  node: Node;
  depth: number;
}

// The rows in sight: children of open nodes, siblings in order; in the order of the model where none is chosen.
export function visibleLines(roots: readonly Node[], open: ReadonlySet<string>, order: Order | null, wanted: string): Line[] {
  const lines: Line[] = [];
  const text = wanted.toLowerCase();
  const matches = (node: Node): boolean => node.path.toLowerCase().includes(text) || node.children.some(matches);
  const walk = (nodes: readonly Node[], depth: number) => {
    const list = order ? sorted(nodes, order) : nodes;
    for (const node of list) {
      if (text && !matches(node)) continue;
      lines.push({ node, depth });
      if (text || open.has(node.path)) walk(node.children, depth + 1);
    }
  };
  walk(roots, 0);
  return lines;
}

function sorted(nodes: readonly Node[], order: Order): Node[] {
  const sign = order.falling ? -1 : 1;
  return [...nodes].sort((a, b) => {
    const left = valueOf(a.row, order.key);
    const right = valueOf(b.row, order.key);
    if (typeof left === "string" || typeof right === "string") return sign * String(left).localeCompare(String(right));
    return sign * (left - right);
  });
}

export interface Block {
  node: Node;
  depth: number;
  x: number; // 0 to 1
  width: number;
}

// A block for each node that has time on that side: as wide as its part of `whole`, children below their parent.
export function icicle(roots: readonly Node[], side: Side, measure: Measure, whole: number, least: number): Block[] {
  const blocks: Block[] = [];
  const place = (nodes: readonly Node[], depth: number, from: number, room: number) => {
    let x = from;
    for (const node of nodes) {
      const width = Math.min(whole > 0 ? node.row[side][measure] / whole : 0, from + room - x);
      if (width < least) continue;
      blocks.push({ node, depth, x, width });
      place(node.children, depth + 1, x, width);
      x += width;
    }
  };
  place(roots, 0, 0, 1);
  return blocks;
}

export const timeOf = (roots: readonly Node[], side: Side, measure: Measure): number =>
  roots.reduce((sum, node) => sum + node.row[side][measure], 0);
