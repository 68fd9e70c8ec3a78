// The difference of the work of two runs as a tree: layers, the own ops of each, the kernels of each op. What is
// below a row adds up to it, on each side.
import type { Column, Table } from "../../api/types";
import { type Row, rowsOf } from "../../table/row";
import type { Measure } from "./layers";
import { pickOfRow } from "./pick";

type Level = "layer" | "op" | "kernel";
type Side = "base" | "new";

interface Node {
  id: string;
  level: Level;
  name: string;
  row: Row | null; // of the tables; null: what is left of the row above
  base: number | null; // ns
  new: number | null;
  pick: string | null;
  children: Node[];
}

export interface DifferenceTree {
  table: Table; // parents stand before their children
  parents: number[]; // index of the row above; -1: a layer
}

const numbers = (row: Row, measure: Measure): Pick<Node, "base" | "new"> => ({ base: row.number(`base_${measure}_ns`), new: row.number(`new_${measure}_ns`) });

const nodeOf = (row: Row, level: Level, id: string, measure: Measure): Node => ({
  id,
  level,
  name: row.text(level) ?? "",
  row,
  ...numbers(row, measure),
  pick: pickOfRow(row, `${level}s`),
  children: [],
});

// What one side has of a node, where the other side's part stands elsewhere.
const halfOf = (node: Node, side: Side): Node => ({ ...node, id: `${node.id}:${side}`, [side === "base" ? "new" : "base"]: null, children: [] });

// The nodes of one level by what names them on each side.
class Places {
  private readonly base = new Map<string, Node>();
  private readonly new = new Map<string, Node>();
  add(node: Node, base: string | null, next: string | null) {
    if (base !== null) this.base.set(base, node);
    if (next !== null) this.new.set(next, node);
  }
  find(side: Side, name: string | null): Node | undefined {
    return name === null ? undefined : this[side].get(name);
  }
}

// An op that was moved has its time before in one layer and its time after in another.
function placed(child: Node, before: Node | undefined, after: Node | undefined): Node[] {
  if (!before || !after || before === after) {
    (before ?? after)?.children.push(child);
    return [child];
  }
  const base = halfOf(child, "base");
  const next = halfOf(child, "new");
  if (child.base !== null) before.children.push(base);
  if (child.new !== null) after.children.push(next);
  return [base, next];
}

const sum = (nodes: readonly Node[], side: Side): number => nodes.reduce((all, node) => all + (node[side] ?? 0), 0);

// Rows that the tables do not have, being too many, and ops that stand in several layers.
function addRest(node: Node) {
  node.children.forEach(addRest);
  const left = (["base", "new"] as const).map((side) => (node[side] ?? 0) - sum(node.children, side));
  if (node.children.length === 0 || left.every((ns) => ns === 0)) return;
  const [base = null, next = null] = left;
  const level = node.level === "layer" ? "op" : "kernel";
  node.children.push({ id: `${node.id}:rest`, level, name: `all other ${level}s`, row: null, base, new: next, pick: null, children: [] });
}

const opName = (row: Row): string => [row.text("op"), row.text("direction"), row.text("base_layer"), row.text("new_layer")].join("~");

function nodesOf(layers: Table, ops: Table, kernels: Table, measure: Measure): Node[] {
  const roots = rowsOf(layers).map((row) => nodeOf(row, "layer", `layer:${row.text("base_layer") ?? ""}:${row.text("new_layer") ?? ""}`, measure));
  const byPath = new Places();
  for (const root of roots) byPath.add(root, root.row?.text("base_layer") ?? null, root.row?.text("new_layer") ?? null);
  const [only] = roots.length === 1 ? roots : []; // one side has no layers: all ops stand in one row
  const byId = new Map<string, Node[]>();
  rowsOf(ops).forEach((row) => {
    const [base, next] = [row.text("base_op_id"), row.text("new_op_id")];
    const told = base !== null || next !== null;
    const node = nodeOf(row, "op", told ? `op:${base ?? ""}:${next ?? ""}` : `op:${opName(row)}`, measure);
    const made = placed(node, only ?? byPath.find("base", row.text("base_layer")), only ?? byPath.find("new", row.text("new_layer")));
    if (base !== null) byId.set(`base:${base}`, made);
    if (next !== null) byId.set(`new:${next}`, made);
    if (!told) byId.set(opName(row), made);
  });
  if (measure === "cpu") return roots; // the time of an op on the host is in no kernel
  rowsOf(kernels).forEach((row, at) => {
    const [base, next] = [row.text("base_op_id"), row.text("new_op_id")];
    const made = base !== null ? byId.get(`base:${base}`) : next !== null ? byId.get(`new:${next}`) : byId.get(opName(row));
    placed(nodeOf(row, "kernel", `kernel:${String(at)}`, measure), made?.[0], made?.at(-1));
  });
  return roots;
}

const NAME: Column = { key: "name", header: "Layer, Op, Kernel", unit: "none" };
const HIDDEN: Column[] = ["level", "id", "pick"].map((key) => ({ key, header: key, unit: "none" }));
const FROM_ROW = ["kind", "verdict", "evidence"];

export function differenceTree(layers: Table, ops: Table, kernels: Table, measure: Measure): DifferenceTree {
  const roots = nodesOf(layers, ops, kernels, measure);
  roots.forEach(addRest);
  const found = (key: string): Column[] => layers.columns.filter((column) => column.key === key);
  const times = [`base_${measure}_ns`, `new_${measure}_ns`, `${measure}_difference_ns`];
  const columns = [NAME, ...["kind", ...times, "verdict", "evidence"].flatMap(found), ...HIDDEN];
  const parents: number[] = [];
  const rows: Table["rows"] = [];
  const list = (node: Node, parent: number) => {
    const at = rows.length;
    const values: Record<string, string | number | null> = {
      name: node.name,
      [`base_${measure}_ns`]: node.base,
      [`new_${measure}_ns`]: node.new,
      [`${measure}_difference_ns`]: (node.new ?? 0) - (node.base ?? 0),
      level: node.level,
      id: node.id,
      pick: node.pick,
    };
    for (const key of FROM_ROW) values[key] = node.row?.text(key) ?? null;
    parents.push(parent);
    rows.push(columns.map(({ key }) => values[key] ?? null));
    for (const child of node.children) list(child, at);
  };
  for (const root of roots) list(root, -1);
  const shown = columns.filter((column) => !HIDDEN.includes(column)).map(({ key }) => key);
  return { table: { ...layers, name: "difference_tree", columns, shown, rows, rows_in_all: rows.length, rows_matching: rows.length }, parents };
}
