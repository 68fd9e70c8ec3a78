// The tree of layers as the server lists it (parents before children), and its two pictures.
import type { LayerRow, Table } from "../../api/types";

export interface Node {
  row: LayerRow;
  path: string; // "ResNet/layer1/0"; the root is ""
  children: Node[];
}

export type Measure = "gpu_ns" | "cpu_ns";
export type Side = "fwd" | "bwd" | "other"; // other: of ops whose direction is neither, or not known

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

export interface LayerTable {
  table: Table;
  parents: number[]; // index of the row above each row; -1: a root
}

// The rows of the table `layers` in the order of the tree, which is how the model runs.
export function layerTable(layers: readonly LayerRow[], listed: Table): LayerTable {
  const name = listed.columns.findIndex((column) => column.key === "name");
  const cells = new Map(listed.rows.map((row) => [normal(String(row[name] ?? "")), row]));
  const at = new Map<number, number>();
  const parents: number[] = [];
  const rows: Table["rows"] = [];
  for (const layer of layers) {
    const row = cells.get(normal(layer.path));
    if (!row) continue;
    at.set(layer.id, rows.length);
    parents.push(layer.parent === null ? -1 : (at.get(layer.parent) ?? -1));
    rows.push(row);
  }
  return { table: { ...listed, rows, rows_in_all: rows.length, rows_matching: rows.length }, parents };
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
