import { describe, expect, it } from "vitest";
import type { IterationShares } from "../../api/types";
import { pickRank } from "./rank";

const bar = (rank: number, dur_ns: number, selected = true): IterationShares => ({ rank, dur_ns, selected, iteration: 0, begin_ns: 0, warm_up: !selected, shares_ns: {} }) as unknown as IterationShares;

describe("the rank of a picture", () => {
  const list = [bar(0, 10), bar(0, 900, false), bar(3, 12), bar(3, 12), bar(7, 20)];
  it("is the slowest of the range unless another is chosen", () => {
    expect(pickRank(list, null)).toEqual({ ranks: [0, 3, 7], rank: 3, slowest: 3 });
    expect(pickRank(list, "7").rank).toBe(7);
    expect(pickRank(list, "5").rank).toBe(3);
  });
  it("is 0 where there is none", () => {
    expect(pickRank([], null)).toEqual({ ranks: [], rank: 0, slowest: 0 });
  });
});
