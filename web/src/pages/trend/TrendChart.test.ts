import { describe, expect, it } from "vitest";
import { extentOf, labelledRuns, shortName } from "./TrendChart";

describe("the names of runs below a trend", () => {
  it("stand below each run where they fit, else below some", () => {
    expect(labelledRuns(["a", "b", "c"], 500)).toEqual([0, 1, 2]);
    expect(labelledRuns(Array.from({ length: 100 }, () => "night"), 500)).toEqual([0, 13, 26, 39, 52, 65, 78, 91]);
    expect(labelledRuns(["one run alone"], 500)).toEqual([0]);
  });

  it("do not meet, also where just the first and the last have one", () => {
    for (const labels of [["x".repeat(40), "y".repeat(40)], Array.from({ length: 9 }, (_, at) => `a run with a long name ${String(at)}`)]) {
      for (let room = 60; room < 900; room += 20) {
        const names = labels.map((label) => shortName(label, room));
        const extents = labelledRuns(names, room).map((at) => extentOf(names, at, room));
        extents.slice(1).forEach(([left], i) => {
          expect(left).toBeGreaterThan(extents[i]?.[1] ?? 0);
        });
      }
    }
    expect(labelledRuns(["x".repeat(40), "y".repeat(40)].map((label) => shortName(label, 450)), 450)).toEqual([0, 1]);
    expect(labelledRuns(["x".repeat(40), "y".repeat(40)], 450)).toEqual([0]);
    expect(shortName("x".repeat(40), 450)).toMatch(/^x{32}…$/);
  });
});
