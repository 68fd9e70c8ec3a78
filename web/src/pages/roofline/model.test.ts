import { describe, expect, it } from "vitest";
import type { Table } from "../../api/types";
import { rowsOf } from "../../table/row";
import { ceilingNames, ceilingsOf, decades, formatPower, formatRate, freeEnd, levelsOf, nearest, place, pointsOf, powers, roofOf, slopesOf, weighty, type Point } from "./model";

const table = (keys: readonly string[], rows: Table["rows"]): Table =>
  ({ columns: keys.map((key) => ({ key, header: key, unit: "none" })), rows, notes: [], rows_in_all: rows.length, rows_matching: rows.length }) as unknown as Table;

const at = (intensity: number, side: string | null): Point => ({
  key: String(intensity),
  name: "",
  more: "",
  intensity,
  rate: 1e12,
  time: 10,
  share: 10,
  efficiency: null,
  limiter: null,
  remarks: null,
  side,
});

describe("the roofline", () => {
  it("places values of an axis by their logarithm", () => {
    const axis = { from: 1, to: 10_000, low: 0, high: 400 };
    expect([1, 100, 10_000].map((value) => place(axis, value))).toEqual([0, 200, 400]);
    expect(place(axis, 1e9)).toBe(400); // beyond the axis: at its end
    expect(place({ ...axis, low: 300, high: 0 }, 1)).toBe(300); // upwards on the screen
  });

  it("takes axes from power to power of ten", () => {
    expect(decades([0.4, 70])).toEqual([0.1, 100]);
    expect(decades([])).toEqual([1, 10]);
    expect(decades([0, -1, Infinity, 5])).toEqual([1, 10]);
    expect(powers({ from: 0.1, to: 1000, low: 0, high: 1000 }, 50)).toEqual([0.1, 1, 10, 100, 1000]);
    expect(powers({ from: 1, to: 1e6, low: 0, high: 100 }, 50)).toHaveLength(2);
  });

  it("draws only what has work and took time", () => {
    const rows = rowsOf(
      table(
        ["op_name", "intensity", "flops_per_s", "time_ns", "time_pct", "efficiency_pct", "limiter", "layer"],
        [
          ["aten::mm", 50, 2e12, 1000, 80, 41, "math", "block.0"],
          ["aten::copy_", 0, 0, 200, 15, 90, "memory", null],
          ["my::op", null, null, 50, 5, null, null, null],
        ],
      ),
    );
    const points = pointsOf(rows, (row) => row.text("op_name") ?? "", "op_name", ["layer"]);
    expect(points.map((point) => [point.key, point.intensity, point.rate, point.more])).toEqual([["aten::mm", 50, 2e12, "block.0"]]);
  });
});

describe("the ceilings of the roofline", () => {
  it("takes the ridge from the ceiling that parts the points", () => {
    const rows = rowsOf(
      table(
        ["rank", "device", "name", "unit", "flops_per_s", "bytes_per_s", "ridge"],
        [
          [0, 0, "A100", "vector fp32", 19.5e12, 2e12, 9.75],
          [0, 0, "A100", "matrix fp16", 312e12, 2e12, 156],
          [0, 1, "V100", "matrix fp16", 125e12, 0.9e12, 138.9],
          [0, 2, "other", null, null, null, null],
        ],
      ),
    );
    const ceilings = ceilingsOf(rows);
    expect(ceilings).toHaveLength(3);
    const roof = roofOf(ceilings, "0/0", []);
    expect(roof.lines.map((line) => line.unit)).toEqual(["matrix fp16", "vector fp32"]);
    expect(roof.ridge).toBe(156);
    expect(roofOf(ceilings, "0/0", [at(5, "memory"), at(50, "math")]).ridge).toBe(9.75);
    expect(roofOf(ceilings, "0/0", [at(50, "memory"), at(200, "math")]).ridge).toBe(156);
    expect(roofOf(ceilings, "0/0", [at(50, "memory"), at(50, "math")]).ridge).toBeNull();
    expect(roofOf(ceilings, "0/9", [])).toEqual({ lines: [], bandwidth: null, ridge: null });
  });

  it("draws a slope for each level whose bandwidth is known, and names those with room", () => {
    const rows = rowsOf(
      table(
        ["rank", "device", "unit", "flops_per_s", "bytes_per_s", "ridge", "note"],
        [
          [0, 0, "matrix fp16", 312e12, 2e12, 156, null],
          [0, 0, "memory L1/shared", null, 20e12, 15.6, null],
          [0, 0, "memory L2", null, 7e12, 44.6, null],
          [0, 1, "memory L2", null, null, null, "no source tells how much it moves"],
        ],
      ),
    );
    const levels = levelsOf(rows, "0/0");
    expect(levels.map((level) => level.name)).toEqual(["L2", "L1/shared"]);
    expect(ceilingsOf(rows)).toHaveLength(1);
    const x = { from: 0.1, to: 1000, low: 0, high: 800 };
    const y = { from: 1e10, to: 1e15, low: 400, high: 0 };
    const slopes = slopesOf(2e12, levels, 312e12, x, y);
    expect(slopes.map((slope) => [slope.name, slope.named])).toEqual([
      ["memory 2.00 TB/s", true],
      ["L2 7.00 TB/s", true],
      ["L1/shared 20.0 TB/s", true],
    ]);
    const [memory, l2] = slopes;
    expect(memory?.x2).toBeCloseTo(place(x, 156));
    expect(l2?.y1).toBeCloseTo(place(y, 0.1 * 7e12));
    // Too near to each other: the second has no name of its own. Wholly beyond the axes: none at all.
    expect(slopesOf(2e12, [{ device: "", name: "L2", bandwidth: 2.2e12, ridge: null, note: null }], 312e12, x, y).map((slope) => slope.named)).toEqual([true, false]);
    expect(slopesOf(2e12, levels, 312e12, { ...x, from: 50 }, y).map((slope) => slope.name)).toEqual(["memory 2.00 TB/s"]);
    const unknown = levelsOf(rows, "0/1");
    expect(unknown.map((level) => level.bandwidth)).toEqual([null]);
    expect(slopesOf(null, unknown, 312e12, x, y)).toEqual([]);
  });

  it("names every ceiling, and those near to each other in one line", () => {
    const ceiling = (unit: string, flops: number) => ({ device: "0/0", name: "", unit, flops, bandwidth: null, ridge: null });
    const ceilings = [ceiling("matrix fp16", 128e12), ceiling("matrix bf16", 128e12), ceiling("vector fp16", 32e12), ceiling("vector fp32", 16e12)];
    const y = { from: 1e12, to: 1e15, low: 300, high: 0 };
    expect(ceilingNames(ceilings, y, 15).map((name) => name.text)).toEqual(["matrix fp16, bf16 128 TFLOP/s", "vector fp16 32.0 TFLOP/s", "vector fp32 16.0 TFLOP/s"]);
    expect(ceilingNames(ceilings, { ...y, low: 100 }, 15).map((name) => name.text)).toEqual([
      "matrix fp16, bf16 128 TFLOP/s",
      "vector fp16 32.0 TFLOP/s · fp32 16.0 TFLOP/s",
    ]);
  });

  it("makes its axes for what takes time", () => {
    const speck = { time: 1, intensity: 1e-6 };
    const points = [{ time: 600, intensity: 1 }, speck, { time: 399, intensity: 9 }] as unknown as Point[];
    expect(weighty(points).map((point) => point.intensity)).toEqual([1, 9]);
    expect(formatPower(1e13, "FLOP/s")).toBe("10 TFLOP/s");
    expect(formatPower(1, "B/s")).toBe("1 B/s");
  });

  it("writes rates with three figures", () => {
    expect(formatRate(989.4e12, "FLOP/s")).toBe("989 TFLOP/s");
    expect(formatRate(2.039e12, "B/s")).toBe("2.04 TB/s");
    expect(formatRate(999.6e9, "FLOP/s")).toBe("1.00 TFLOP/s");
    expect(formatRate(12, "FLOP/s")).toBe("12 FLOP/s");
  });

  it("finds the point under the pointer, the smaller of two", () => {
    const points = [
      { id: "large", x: 10, y: 10, r: 12 },
      { id: "small", x: 12, y: 10, r: 3 },
      { id: "far", x: 100, y: 100, r: 3 },
    ];
    expect(nearest(points, 12, 11, 8)?.id).toBe("small");
    expect(nearest(points, 3, 10, 8)?.id).toBe("large");
    expect(nearest(points, 60, 60, 8)).toBeNull();
  });
});

describe("names of ceilings", () => {
  it("stand where they cover no point", () => {
    expect(freeEnd(100, 50, [], 0, 500)).toBe(500);
    // On the line's height from 400 to 420, and far below: only the first is in the way.
    const points = [
      { x: 410, y: 48, r: 10 },
      { x: 350, y: 200, r: 10 },
    ];
    expect(freeEnd(100, 50, points, 0, 500)).toBe(399);
    expect(freeEnd(60, 50, points, 0, 500)).toBe(500); // right of the point
    expect(freeEnd(100, 50, Array.from({ length: 10 }, (_, i) => ({ x: i * 50, y: 50, r: 5 })), 0, 500)).toBeNull();
  });
});
