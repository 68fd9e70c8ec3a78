import { describe, expect, it } from "vitest";
import { partsOf, pointAt, stepPath, type Point } from "./curve";

const at = (t: number, allocated: number, reserved: number | null = null): Point => ({ t, allocated, reserved });
const same = (value: number) => value;

describe("the curve of memory", () => {
  const points = [at(0, 5), at(10, 7), at(100, 1), at(110, 3)];
  const pause = { begin: 20, end: 90 };

  it("has a gap in a pause, up to which the last value holds", () => {
    expect(partsOf(points, [pause]).map(({ points: own, end }) => [own.map(({ t }) => t), end])).toEqual([[[0, 10], 20], [[100, 110], 110]]);
    expect(stepPath(partsOf(points, [pause]), "allocated", same, same, false)).toBe("M0.0 5.0H10.0V7.0H20.0M100.0 1.0H110.0V3.0H110.0");
    expect(stepPath(partsOf(points, [pause]), "allocated", same, same, true)).toBe("M0.0 5.0H10.0V7.0H20.0V0.0H0.0ZM100.0 1.0H110.0V3.0H110.0V0.0H100.0Z");
  });

  it("is one without pauses, or where they lie outside of its points", () => {
    for (const pauses of [[], [{ begin: -20, end: -10 }], [{ begin: 200, end: 210 }]]) expect(partsOf(points, pauses).length).toBe(1);
    expect(partsOf([], [pause])).toEqual([]);
    expect(stepPath(partsOf(points, []), "reserved", same, same, true)).toBe("");
  });

  it("ends at each of several pauses once, also of those without an event between them", () => {
    const pauses = [{ begin: 2, end: 4 }, { begin: 20, end: 30 }, { begin: 40, end: 90 }, { begin: 104, end: 106 }];
    expect(partsOf(points, pauses).map(({ end }) => end)).toEqual([2, 20, 104, 110]);
  });

  it("tells nothing in a pause, from there to the next event, and before the first", () => {
    expect(pointAt(points, [pause], 15)?.allocated).toBe(7);
    expect(pointAt(points, [pause], 50)).toBeUndefined();
    expect(pointAt(points, [pause], 95)).toBeUndefined();
    expect(pointAt(points, [pause], 100)?.allocated).toBe(1);
    expect(pointAt(points, [], -1)).toBeUndefined();
    expect(pointAt(points, [], 500)?.t).toBe(110);
  });
});
