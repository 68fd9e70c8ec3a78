import { describe, expect, it } from "vitest";
import type { Table } from "../../api/types";
import { stepsOf } from "./waterfall";

const budget = {
  columns: ["class", "name", "base_ns", "new_ns", "difference_ns"].map((key) => ({ key, header: key, unit: "none" })),
  rows: [
    ["a", "Kernels", 70, 90, 20],
    ["b", "Copies", 10, 10, 0],
    ["c", "Idle", 20, null, -20],
    ["d", "Loading", null, 5, 5],
  ],
} as unknown as Table;

describe("the waterfall", () => {
  it("leads from the time before to the time after, by what changed", () => {
    expect(stepsOf(budget)).toEqual([
      { name: "Before", from: 0, to: 100, change: null },
      { name: "Kernels", from: 100, to: 120, change: 20 },
      { name: "Idle", from: 120, to: 100, change: -20 },
      { name: "Loading", from: 100, to: 105, change: 5 },
      { name: "After", from: 0, to: 105, change: null },
    ]);
  });
});
