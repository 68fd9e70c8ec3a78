import { describe, expect, it } from "vitest";
import { definitionOf, definitionOfTile, SECTIONS, wordsOf } from "./definitions";

const TILES = ["GPU utilization", "Tensor Core efficiency", "Iteration time", "Wall clock", "Kernels alone", "GPUs used", "Share of kernel time", "Eligible, not using", "Median", "Fastest to slowest"];
const HEADS: readonly (readonly [string, string])[] = [
  ["detailed", "Op ID"],
  ["detailed", "No. Calls"],
  ["iteration_ops", "Direction"],
  ["detailed", "TC Eligible"],
  ["kernel", "Kernel Time (%)"],
  ["kernels", "Occupancy (%)"],
  ["group_op", "Num Calls Aggregated"],
  ["tensor_core", "TC Utilization (%)"],
  ["iterations", "TC Kernels"],
  ["iteration", "Launch Delay (ns)"],
  ["streams", "Host Wait (ns)"],
  ["streams", "Queued Wait (ns)"],
  ["roofline", "Bytes/s (B)"],
  ["memory_allocators", "Allocated - Freed (bytes)"],
  ["ranges", "Median (ns)"],
];
const said = (table: string, head: string) => definitionOf(table, { header: head });

describe("definitions", () => {
  it.each(TILES)("say what the tile “%s” means", (name) => {
    expect(definitionOfTile(name)).toBeTruthy();
  });
  it.each(HEADS)("say what in “%s” the column “%s” means", (table, head) => {
    expect(said(table, head)).toBeTruthy();
  });
  it("name sections that are there and have words", () => {
    for (const section of Object.values(SECTIONS).flat()) expect(wordsOf(section)?.size, section).toBeGreaterThan(0);
  });
  it("find a column whatever of it the row sums up", () => {
    for (const head of ["Total CPU Time (ns)", "Avg. CPU Time (ns)", "P95 CPU Time (ns)"]) expect(said("detailed", head)).toContain("its span on the host");
    expect(said("detailed", "Self GPU Time (ns)")).toContain("this op innermost");
    expect(said("devices", "GPU Utilization %")).toContain("wall clock");
    expect(said("streams", "Max Queue Depth")).toContain("the most at any launch");
  });
  // One word, several meanings.
  it.each([
    ["ranges", "Median (ns)", "iterations"],
    ["ranges", "Min (ns)", "iterations"],
    ["counters", "P95", "iterations"],
    ["copies", "Max (ns)", "iterations"],
    ["iterations", "Duration (ns)", "device"],
    ["iterations", "Name", "module"],
    ["copies", "Count", "pixel"],
    ["copies", "Bytes", "each input"],
    ["copies", "Bytes/s", "FLOPs"],
    ["roofline", "Time (ns)", "until"],
    ["kernel", "Total GPU Time (ns)", "union"],
    ["tensor_core", "Total GPU Time (ns)", "union"],
    ["communication", "Data Type", "inputs"],
    ["devices", "Busy Time (ns)", "stream"],
    ["streams", "Name", "driver"],
    ["ranges", "Self Time (%)", "directly inside"],
    ["roofline", "Time %", "sum of"],
    ["model_nodes", "Op Type", "tells instances"],
    ["roofline_ceilings", "FLOP/s (1)", "counted"],
    ["diagnostics", "Count", "range"],
    ["group_op", "Num Calls Aggregated", "launches"],
    ["kernel", "No. Calls", "op alone"],
  ])("do not say in “%s” of “%s” what is of another table", (table, head, other) => {
    expect(said(table, head) ?? "").not.toContain(other);
  });
  it("say nothing of what is not defined", () => {
    expect(said("detailed", "no such head")).toBeUndefined();
    expect(said("no such table", "Op ID")).toBeUndefined();
  });
});
