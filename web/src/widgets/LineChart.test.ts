import { describe, expect, it } from "vitest";
import { acrossAxis, levelsOf, valueAxis } from "./LineChart";

describe("axes", () => {
  it("of values begin at 0, or are round values around them", () => {
    const linear = valueAxis([10, 20], "linear", "ns");
    expect(linear.at[0]).toBe(0);
    expect(linear.place(0)).toBe(0);
    expect(linear.place(20)).toBeLessThan(1);
    const log = valueAxis([3, 900], "log", "ns");
    expect(log.at).toEqual([1, 10, 100, 1000]);
    expect([1, 10, 1000].map(log.place)).toEqual([0, 1 / 3, 1].map((each): unknown => expect.closeTo(each, 9)));
    expect(valueAxis([3, 18], "log", "ns").at).toEqual([2, 5, 10, 20]);
    expect(valueAxis([7, 7], "log", "none").at).toEqual([5, 10]);
    expect(valueAxis([5, 50], "log", "none").at).toEqual([5, 10, 20, 50]);
    expect(valueAxis([3000, 9000], "log", "bytes").at).toEqual([2048, 4096, 8192, 16384]);
    expect(valueAxis([9 * 1024], "linear", "bytes").at).toEqual([0, 2048, 4096, 6144, 8192]);
    expect(valueAxis([0], "linear", "ns").place(0)).toBe(0);
  });

  it("across keep their ends within, and one value in the middle", () => {
    const linear = acrossAxis([1, 3, 9], "linear");
    expect(linear(1)).toBeCloseTo(0.03);
    expect(linear(9)).toBeCloseTo(0.97);
    expect(linear(5)).toBeCloseTo(0.5);
    expect(acrossAxis([1, 100], "log")(10)).toBeCloseTo(0.5);
    expect(acrossAxis([7], "log")(7)).toBe(0.5);
  });

  it("leave the texts of marks apart, by lines where they would meet", () => {
    const marks = [10, 20, 300, 310].map((x) => ({ x, text: "knee of hidden=64" }));
    expect(levelsOf(marks, (x) => x, 400)).toEqual([0, 1, 0, 1]);
    expect(levelsOf([{ x: 10, text: "knee" }, { x: 200, text: "knee" }], (x) => x, 400)).toEqual([0, 0]);
  });
});
