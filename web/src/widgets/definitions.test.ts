import { describe, expect, it } from "vitest";
import { definitionOfTile } from "./definitions";

const TILES = ["GPU utilization", "Tensor Core efficiency", "Iteration time", "Wall clock", "Kernels alone", "GPUs used", "Share of kernel time", "Eligible, not using", "Median", "Fastest to slowest"];

describe("definitions", () => {
  it.each(TILES)("say what the tile “%s” means", (name) => {
    expect(definitionOfTile(name)).toBeTruthy();
  });
  it("say nothing of what is not defined", () => {
    expect(definitionOfTile("no such tile")).toBeUndefined();
  });
});
