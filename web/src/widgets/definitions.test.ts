import { describe, expect, it } from "vitest";
import { definitionOfTile } from "./definitions";

describe("definitions", () => {
  it("say what a tile means", () => {
    expect(definitionOfTile("GPU utilization")).toBeTruthy();
  });
  it("say nothing of what is not defined", () => {
    expect(definitionOfTile("no such tile")).toBeUndefined();
  });
});
