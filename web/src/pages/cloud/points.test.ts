import { describe, expect, it } from "vitest";
import type { CloudAnswer, Table } from "../../api/types";
import { bestOf, formatAmount, formatEnergy, nearestOf, pointsOf, stepsOf, thinned, type CloudPoint } from "./points";

const table = (keys: string[], rows: Table["rows"]) => ({ name: "map_cloud", columns: keys.map((key) => ({ key, header: key, unit: "none" })), rows }) as unknown as Table;
const point = (draw: string, cycles: number, energy: number): CloudPoint => ({ draw, cycles, energy, edp: 0, words: 1, pareto: false });

describe("a cloud of mappings", () => {
  it("has numbers also where they came as text", () => {
    const points = pointsOf(table(["draw", "energy_pj", "cycles", "edp_j_cycles", "outer_accesses", "pareto"], [["18014398509481984", 2, "9007199254740993", 1e-9, 5, true]]));
    expect(points).toEqual([{ draw: "18014398509481984", cycles: 9007199254740992, energy: 2, edp: 1e-9, words: 5, pareto: true }]);
  });

  it("knows the draw with the least of an objective", () => {
    const answer = { best: table(["objective", "draw"], [["energy", 7], ["edp", "18014398509481984"]]) } as unknown as CloudAnswer;
    expect(bestOf(answer, "energy")).toBe("7");
    expect(bestOf(answer, "edp")).toBe("18014398509481984");
    expect(bestOf(answer, "delay")).toBeNull();
  });

  it("writes energies as the command does, and amounts of any size", () => {
    expect([0.5, 999, 1000, 1.86e9, 2.345678e6].map(formatEnergy)).toEqual(["0.5 pJ", "999 pJ", "1 nJ", "1.86 mJ", "2.346 uJ"]);
    expect([0, 0.0036123, 12.345, 1234567.8].map(formatAmount)).toEqual(["0", "0.003612", "12.35", "1,234,568"]);
  });

  it("draws one mark where several mappings lie on each other, and finds the nearest", () => {
    const marks = thinned([point("a", 10, 10), point("b", 10.2, 10), point("c", 30, 10)], (value) => value, (value) => value);
    expect(marks.map((mark) => mark.point.draw)).toEqual(["a", "c"]);
    expect(nearestOf(marks, 27, 11, 14)?.point.draw).toBe("c");
    expect(nearestOf(marks, 27, 40, 14)).toBeNull();
  });

  it("draws the front as steps", () => {
    const mark = (x: number, y: number) => ({ point: point("", x, y), x, y });
    expect(stepsOf([mark(1, 1), mark(3, 5), mark(4, 9)])).toBe("1.0,1.0 3.0,1.0 3.0,5.0 4.0,5.0 4.0,9.0");
    expect(stepsOf([])).toBe("");
  });
});
