import { describe, expect, it } from "vitest";
import type { RankPace } from "../../api/types";
import { pickRank } from "./rank";

const pace = (rank: number, slowest = false): RankPace => ({ rank, iterations: 3, mean_ns: 10, deviation_ns: 1, slowest, spread_known: slowest });

describe("the rank of a picture", () => {
  it("is the slowest unless another is chosen", () => {
    const ranks = [pace(0), pace(3, true), pace(7)];
    expect(pickRank(ranks, null)).toEqual({ ranks, rank: 3 });
    expect(pickRank(ranks, "7").rank).toBe(7);
    expect(pickRank(ranks, "5").rank).toBe(3);
  });
  it("is the first where none is slower than the others", () => {
    expect(pickRank([pace(2), pace(4)], null).rank).toBe(2);
  });
  it("is 0 where there is none", () => {
    expect(pickRank([], null)).toEqual({ ranks: [], rank: 0 });
  });
});
