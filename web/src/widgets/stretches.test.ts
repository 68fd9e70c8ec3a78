import { describe, expect, it } from "vitest";
import { outsideOf, stretchesOf } from "./stretches";

describe("stretches of the range", () => {
  const wall = [
    { rank: 1, begin_ns: 30, end_ns: 40 },
    { rank: 0, begin_ns: 10, end_ns: 20 },
    { rank: 1, begin_ns: 15, end_ns: 25 },
  ];
  it("of several ranks are one where they touch", () => {
    expect(stretchesOf(wall)).toEqual([
      { begin: 10, end: 25 },
      { begin: 30, end: 40 },
    ]);
  });
  it("leave the rest of a window outside", () => {
    const stretches = stretchesOf(wall);
    expect(outsideOf(stretches, { begin: 0, end: 50 })).toEqual([
      { begin: 0, end: 10 },
      { begin: 25, end: 30 },
      { begin: 40, end: 50 },
    ]);
    expect(outsideOf(stretches, { begin: 12, end: 18 })).toEqual([]);
    expect(outsideOf(stretches, { begin: 26, end: 29 })).toEqual([{ begin: 26, end: 29 }]);
    expect(outsideOf([], { begin: 0, end: 50 })).toEqual([]);
  });
});
