import { describe, expect, it } from "vitest";
import type { LayerRow } from "../../api/types";
import { buildTree, findPath, icicle, normal, visibleLines } from "./tree";

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
  it("shows what is open, siblings in order", () => {
    const paths = (open: string[], falling: boolean | null, text = "") =>
      visibleLines(roots, new Set(open), falling === null ? null : { key: "fwd.cpu_ns", falling }, text).map((line) => line.node.path);
    expect(paths([], null)).toEqual([""]);
    expect(paths([""], null)).toEqual(["", "Net", "loss"]);
    expect(paths(["", "Net"], true)).toEqual(["", "Net", "Net/b", "Net/a", "loss"]);
    expect(paths(["", "Net"], false)).toEqual(["", "loss", "Net", "Net/a", "Net/b"]);
  });
  it("opens what a search finds, with its parents", () => {
    expect(visibleLines(roots, new Set(), null, "B").map((line) => line.node.path)).toEqual(["", "Net", "Net/b"]);
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
  });
});
