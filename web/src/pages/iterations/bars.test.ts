import { describe, expect, it } from "vitest";
import type { IterationShares } from "../../api/types";
import { byteTicks, ticks } from "../../widgets/ticks";
import { indexAt, inSight, mostIn, panned, sharePaths, xOf, zoomed } from "./bars";

const box = { left: 50, top: 10, width: 400, height: 100 };
const iteration = (dur: number, cpu: number, idle: number): IterationShares => ({
  rank: 0,
  iteration: 0,
  begin_ns: 0,
  dur_ns: dur,
  selected: true,
  warm_up: false,
  shares_ns: { tensor_core: 0, unknown_kernel: 0, other_kernel: 0, communication: 0, memory: 0, dataloader: 0, io: 0, cpu, host: 0, idle },
});

describe("bars of iterations", () => {
  const view = { first: 0, last: 4 };
  it("stand where the pointer finds them", () => {
    for (const index of [0, 1.5, 4]) expect(indexAt(xOf(index, view, box), view, box)).toBeCloseTo(index);
    expect(xOf(4, view, box)).toBe(450);
  });
  it("stack from the bottom up to the whole", () => {
    const paths = sharePaths([iteration(10, 4, 6)], { first: 0, last: 1 }, box, 10);
    expect(paths.cpu).toBe("M54.00 110.00V70.00H446.00V110.00Z");
    expect(paths.idle).toBe("M54.00 70.00V10.00H446.00V70.00Z");
    expect(paths.tensor_core).toBe("");
  });
  it("are measured by those in sight", () => {
    const list = [iteration(10, 1, 1), iteration(99, 1, 1), iteration(20, 1, 1)];
    expect(mostIn(list, { first: 2, last: 3 })).toBe(20);
    expect(inSight({ first: 0.5, last: 1.2 }, 3)).toEqual([0, 2]);
  });
  it("zoom around the pointer and stay within the list", () => {
    const near = zoomed({ first: 0, last: 100 }, 0.5, 50, 100);
    expect(near).toEqual({ first: 25, last: 75 });
    expect(zoomed(near, 10, 50, 100)).toEqual({ first: 0, last: 100 });
    const two = zoomed(near, 0.0001, 30, 100);
    expect(two.last - two.first).toBe(2);
    expect(panned(near, -500, 100)).toEqual({ first: 0, last: 50 });
    expect(panned(near, 500, 100)).toEqual({ first: 50, last: 100 });
  });
});

describe("ticks", () => {
  it("are round", () => {
    expect(ticks(163_461_000, 4)).toEqual([0, 50_000_000, 100_000_000, 150_000_000]);
    expect(ticks(10, 5)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(byteTicks(3.5 * 2 ** 30, 4)).toEqual([0, 2 ** 30, 2 * 2 ** 30, 3 * 2 ** 30]);
    expect(byteTicks(500, 4)).toEqual([0, 100, 200, 300, 400, 500]);
    expect(ticks(0, 4)).toEqual([0]);
    expect(ticks(Number.NaN, 4)).toEqual([0]);
  });
});
