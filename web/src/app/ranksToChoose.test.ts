import { describe, expect, it } from "vitest";
import { ranksToChoose } from "./ranksToChoose";

describe("ranks to choose from", () => {
  it("are those of a job, by number, with their hosts where there are several", () => {
    expect(ranksToChoose({ ranks: [{ rank: 10, host: "a" }, { rank: 2, host: "a" }] })).toEqual([
      { rank: 2, host: "" },
      { rank: 10, host: "" },
    ]);
    expect(ranksToChoose({ ranks: [{ rank: 0, host: "a" }, { rank: 1, host: "b" }] }).map((each) => each.host)).toEqual(["a", "b"]);
  });
  it("are none of one rank, nor of numbers that several recordings have", () => {
    expect(ranksToChoose(undefined)).toEqual([]);
    expect(ranksToChoose({ ranks: [{ rank: 0 }] })).toEqual([]);
    expect(ranksToChoose({ ranks: [{ rank: 0 }, { rank: 0 }, { rank: 1 }] }).map((each) => each.rank)).toEqual([1]);
  });
});
