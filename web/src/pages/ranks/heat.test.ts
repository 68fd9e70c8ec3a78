import { describe, expect, it } from "vitest";
import type { Table } from "../../api/types";
import { colorAt, heatOf, measures, moved, withoutUnit } from "./heat";

const COLUMNS: Table["columns"] = [
  { key: "rank", header: "Rank", unit: "count", role: "id" },
  { key: "host", header: "Host", unit: "none" },
  { key: "iteration", header: "Iteration", unit: "count", role: "id" },
  { key: "begin_ns", header: "Begin (ns)", unit: "ns", role: "moment" },
  { key: "duration_ns", header: "Duration (ns)", unit: "ns" },
  { key: "waiting_ns", header: "Waiting (ns)", unit: "ns" },
];
const table = (rows: Table["rows"]): Table => ({ name: "rank_iterations", title: "", columns: COLUMNS, rows, rows_in_all: rows.length, rows_matching: rows.length }) as unknown as Table;

describe("the heat map", () => {
  const heat = heatOf(
    table([
      [2, "b", 5, 100, 50, 7],
      [10, "a", 6, 150, 50, 9],
      [1, "b", 5, 90, 60, null],
      [2, "b", 6, 150, 40, 3],
    ]),
    "waiting_ns",
  );
  it("has ranks by host and iterations by number", () => {
    expect(heat.ranks.map((each) => each.rank)).toEqual([10, 1, 2]);
    expect(heat.iterations).toEqual([5, 6]);
  });
  it("knows the value of a cell, and no value where none was recorded", () => {
    expect(heat.at(2, 0)?.value).toBe(7);
    expect(heat.at(2, 0)?.end).toBe(150);
    expect(heat.at(1, 0)).toBeUndefined();
    expect(heat.at(0, 0)).toBeUndefined();
    expect(heat.most).toBe(9);
  });
  it("draws what is large last", () => {
    expect(heat.cells.map((cell) => cell.value)).toEqual([3, 7, 9]);
  });
  it("can be coloured by durations, not by moments", () => {
    expect(measures(COLUMNS).map((column) => column.key)).toEqual(["duration_ns", "waiting_ns"]);
    expect(withoutUnit("Waiting (ns)")).toBe("Waiting");
  });
  it("is walked through by keys, and not beyond its edges", () => {
    expect(moved([1, 1], "ArrowRight", 3, 2)).toEqual([1, 1]);
    expect(moved([1, 1], "ArrowUp", 3, 2)).toEqual([0, 1]);
    expect(moved([1, 1], "Home", 3, 2)).toEqual([1, 0]);
    expect(moved([1, 1], "x", 3, 2)).toBeNull();
  });
});

describe("its colours", () => {
  it("rise in lightness from end to end", () => {
    const light = [0, 0.2, 0.4, 0.6, 0.8, 1].map((part) => {
      const [r = 0, g = 0, b = 0] = (colorAt(part).match(/\d+/g) ?? []).map(Number);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    });
    expect(light).toEqual([...light].sort((a, b) => a - b));
    expect((light.at(-1) ?? 0) - (light[0] ?? 0)).toBeGreaterThan(150);
  });
});
