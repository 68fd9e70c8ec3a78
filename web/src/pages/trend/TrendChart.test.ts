import { describe, expect, it } from "vitest";
import { namedRuns } from "./TrendChart";

describe("the names of runs below a trend", () => {
  it("stand below each run where they fit, else below some", () => {
    expect(namedRuns(["a", "b", "c"], 500)).toEqual([0, 1, 2]);
    expect(namedRuns(Array.from({ length: 100 }, () => "night"), 500)).toEqual([0, 13, 26, 39, 52, 65, 78, 91]);
    expect(namedRuns(["one run alone"], 500)).toEqual([0]);
  });
});
