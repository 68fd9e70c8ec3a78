import { describe, expect, it } from "vitest";
import type { RankPace } from "../../api/types";
import { pickRank } from "./rank";

const pace = (rank: number, slowest = false, mean_ns: number | null = slowest ? 20 : 10): RankPace => ({
  rank,
  iterations: 3,
  mean_ns,
  deviation_ns: 1,
  slowest,
  spread_known: slowest,
});

describe("the rank of a picture", () => {
  it("is the slowest unless another is chosen", () => {
    const ranks = [pace(0), pace(3, true), pace(7)];
    expect(pickRank(ranks, null)).toEqual({ ranks, rank: 3 });
    expect(pickRank(ranks, "7").rank).toBe(7);
    expect(pickRank(ranks, "5").rank).toBe(3);
  });
  it("is the first where all are as long", () => {
    expect(pickRank([pace(2), pace(4)], null).rank).toBe(2);
    expect(pickRank([pace(2, false, null), pace(4, false, null)], null).rank).toBe(2);
  });
  // Two of eight took 19.9 and 19.3 ms, the first 14.5 ms.
  it("is the longest also where another is nearly as long", () => {
    expect(pickRank([pace(0, false, 14500), pace(1, false, 19900), pace(3, false, 19300)], null).rank).toBe(1);
  });
  it("is 0 where there is none", () => {
    expect(pickRank([], null)).toEqual({ ranks: [], rank: 0 });
  });
});
