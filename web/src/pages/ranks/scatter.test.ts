import { describe, expect, it } from "vitest";
import type { Table } from "../../api/types";
import { rowsOf } from "../../table/row";
import { along, bounds, powersIn } from "../../widgets/marks";
import { peaksOf, pointsOf, shapesOf } from "./scatter";

const KEYS = ["collective", "group", "bytes", "bus_bytes_per_s", "peak_bytes_per_s", "link", "collectives"];
const rows = (cells: Table["rows"]) => rowsOf({ columns: KEYS.map((key) => ({ key, header: key, unit: "none" })), rows: cells } as unknown as Table);

describe("points of collectives", () => {
  const { points, left } = pointsOf(
    rows([
      ["all_reduce", "0", 1024, 2e9, 9e11, "NVLink 4", 3],
      ["all_gather", "0", 4096, 3e9, 9e11, "NVLink 4", 5],
      ["barrier", "0", 0, null, null, null, 2],
      ["all_reduce", "0", 64, null, null, null, 2],
    ]),
  );
  it("are those with a size and a rate; the others are counted", () => {
    expect(points.map((point) => point.kind)).toEqual(["all_reduce", "all_gather"]);
    expect(left).toBe(2);
  });
  it("have shapes by kind, and each peak once", () => {
    expect([...shapesOf(points).values()].map((each) => each.shape)).toEqual(["circle", "square"]);
    expect(peaksOf(points)).toEqual([{ link: "NVLink 4", rate: 9e11 }]);
  });
});

describe("axes", () => {
  it("go from power to power", () => {
    expect(bounds([1024, 4096], 2)).toEqual([1024, 4096]);
    expect(bounds([2e9, 3e9], 10)).toEqual([1e9, 1e10]);
    expect(bounds([1e9], 10)).toEqual([1e9, 1e10]);
  });
  it("have as many marks as there is room for", () => {
    expect(powersIn([1, 1024], 2, 5)).toEqual([1, 4, 16, 64, 256, 1024]);
    expect(powersIn([1, 1000], 10, 9)).toEqual([1, 10, 100, 1000]);
  });
  it("place values by their logarithm", () => {
    expect(along(10, [1, 100])).toBeCloseTo(0.5);
  });
});
