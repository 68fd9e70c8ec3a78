import { describe, expect, it } from "vitest";
import type { LayerRow, Table } from "../../api/types";
import { buildTree, findPath, icicle, layerTable, normal } from "./tree";

const none = { cpu_ns: 0, gpu_ns: 0, kernels: 0 };
const row = (id: number, parent: number | null, path: string, cpu: number): LayerRow => ({
  id,
  parent,
  name: path.split("/").pop() ?? "",
  path,
  depth: 0,
  calls: id,
  cpu_ns: cpu,
  gpu_ns: 0,
  all: none,
  fwd: { ...none, cpu_ns: cpu },
  bwd: none,
  other: { ...none, cpu_ns: 5 },
  self: none,
});

const rows = [row(0, null, "/", 100), row(1, 0, "/Net", 90), row(2, 1, "/Net/a", 30), row(3, 1, "/Net/b", 60), row(4, 0, "/loss", 10)];

describe("the tree of layers", () => {
  const roots = buildTree(rows);
  it("knows the path of each layer", () => {
    expect(findPath(roots, "Net/b")?.map((node) => node.path)).toEqual(["", "Net", "Net/b"]);
    expect(findPath(roots, "Net/c")).toBeNull();
    expect(normal("/Net/b/")).toBe("Net/b");
  });
  it("is a table in the order of the tree", () => {
    const listed: Table = {
      name: "layers",
      title: "",
      columns: [
        { key: "name", header: "Name", unit: "none" },
        { key: "calls", header: "Calls", unit: "count" },
      ],
      rows: [["/Net/b", 3], ["/Net", 9], ["/", 10], ["/loss", 1], ["/Net/a", 6]],
      rows_in_all: 5,
      rows_matching: 5,
      notes: [],
      range: { source: "", confidence: 1, start: 0, stop: 0, total: 0, selected: 0, description: "", whole: false, left_out: [], notes: [] },
    };
    const { table, parents } = layerTable(rows, listed);
    expect(table.rows.map((row) => row[0])).toEqual(["/", "/Net", "/Net/a", "/Net/b", "/loss"]);
    expect(parents).toEqual([-1, 0, 1, 1, 0]);
    expect(table.rows.map((row) => row[1])).toEqual([10, 9, 6, 3, 1]);
    expect(table.rows.every((row) => row.length === table.columns.length)).toBe(true);
  });
  it("is as wide as its time, children within their parents", () => {
    const blocks = icicle(roots, "fwd", "cpu_ns", 100, 0);
    expect(blocks.map((block) => [block.node.path, block.x, block.width])).toEqual([
      ["", 0, 1],
      ["Net", 0, 0.9],
      ["Net/a", 0, 0.3],
      ["Net/b", 0.3, 0.6],
      ["loss", 0.9, 0.1],
    ].map(([path, x, width]) => [path, expect.closeTo(x as number), expect.closeTo(width as number)]));
    expect(icicle(roots, "bwd", "cpu_ns", 100, 0.001)).toEqual([]);
    expect(icicle(roots, "other", "cpu_ns", 10, 0).map((block) => [block.node.path, block.width])).toContainEqual(["", 0.5]);
  });
});
