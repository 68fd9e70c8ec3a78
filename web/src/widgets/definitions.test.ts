import { describe, expect, it } from "vitest";
import { definition } from "./definitions";

const TILES = ["GPU utilization", "Tensor Core efficiency", "Iteration time", "Wall clock", "Kernels alone", "GPUs used", "Share of kernel time", "Eligible, not using", "Fastest to slowest"];
const HEADS = ["Op ID", "No. Calls", "Direction", "TC Eligible", "Kernel Time (%)", "Occupancy (%)", "Num Calls Aggregated", "TC Kernels", "Launch Delay (ns)", "Host Wait (ns)", "Bytes/s (B)", "Allocated - Freed (bytes)"];

describe("definitions", () => {
  it.each([...TILES, ...HEADS])("say what “%s” means", (name) => {
    expect(definition(name)).toBeTruthy();
  });
  it("find a column whatever of it the row sums up", () => {
    for (const head of ["Total CPU Time (ns)", "Avg. CPU Time (ns)", "P95 CPU Time (ns)"]) expect(definition(head)).toContain("its span on the host");
    expect(definition("Self GPU Time (ns)")).toContain("this op innermost");
    expect(definition("GPU Utilization %")).toContain("wall clock");
  });
  it("say nothing of what is not defined", () => {
    expect(definition("no such head")).toBeUndefined();
  });
});
