import { describe, expect, it } from "vitest";
import type { Column, Table } from "../../api/types";
import { gridOf, inkOn, strength } from "./grid";

const column = (key: string, unit: Column["unit"] = "none", role?: Column["role"]): Column => ({ key, header: key, unit, ...(role ? { role } : {}) });

const table = {
  name: "characterize_layers",
  columns: [column("layer"), column("time_ns", "ns"), column("l1_hit_pct", "percent"), column("ratio", "none", "number"), column("off", "percent"), column("rank", "count", "id")],
  rows: [
    ["net/10", 30, 50, 2, null, 0],
    ["net/9", 20, null, 1, null, 0],
    ["net/1", 10, 100, null, null, 0],
  ],
} as unknown as Table;

describe("the grid of layers and parameters", () => {
  it("has the parameters that any row has, and names the others", () => {
    const grid = gridOf(table, "layer", "time", 10);
    expect(grid.parameters.map((each) => each.column.key)).toEqual(["time_ns", "l1_hit_pct", "ratio"]);
    expect(grid.missing.map((each) => each.key)).toEqual(["off"]);
    expect(grid.parameters[1]?.most).toBe(100);
  });

  it("keeps the rows that take most time, and puts them in the order of their names where asked", () => {
    expect(gridOf(table, "layer", "time", 2).rows.map((each) => each.name)).toEqual(["net/10", "net/9"]);
    expect(gridOf(table, "layer", "name", 10).rows.map((each) => each.name)).toEqual(["net/1", "net/9", "net/10"]);
  });

  it("has no strength where nothing is known, which is not 0", () => {
    const [, hits] = gridOf(table, "layer", "time", 10).parameters;
    if (!hits) throw new Error("no parameter");
    expect(strength(hits, null)).toBeNull();
    expect(strength(hits, 0)).toBe(0);
    expect(strength(hits, 50)).toBe(0.5);
    expect(inkOn(1)).not.toBe(inkOn(0));
  });
});
