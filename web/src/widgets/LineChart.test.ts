import { describe, expect, it } from "vitest";
import { acrossAxis, valueAxis } from "./LineChart";

describe("axes", () => {
  it("of values begin at 0, or are powers of 10 around them", () => {
    const linear = valueAxis([10, 20], "linear");
    expect(linear.at[0]).toBe(0);
    expect(linear.place(0)).toBe(0);
    expect(linear.place(20)).toBeLessThan(1);
    const log = valueAxis([3, 200], "log");
    expect(log.at).toEqual([1, 10, 100, 1000]);
    expect([1, 10, 1000].map(log.place)).toEqual([0, 1 / 3, 1].map((each): unknown => expect.closeTo(each, 9)));
    expect(valueAxis([0], "linear").place(0)).toBe(0);
  });

  it("across keep their ends within, and one value in the middle", () => {
    const linear = acrossAxis([1, 3, 9], "linear");
    expect(linear(1)).toBeCloseTo(0.03);
    expect(linear(9)).toBeCloseTo(0.97);
    expect(linear(5)).toBeCloseTo(0.5);
    expect(acrossAxis([1, 100], "log")(10)).toBeCloseTo(0.5);
    expect(acrossAxis([7], "log")(7)).toBe(0.5);
  });
});
