import { describe, expect, it } from "vitest";
import { rangeWords } from "./rangeWords";

const SOME = { source: "inferred", confidence: 1, start: 1, stop: 5, whole: false, total: 6, selected: 5, description: "", left_out: [], notes: [] };

describe("The words of a range", () => {
  it("name its iterations, or the whole", () => {
    expect(rangeWords(SOME)).toBe("Iterations 1–5 · 5 of 6");
    expect(rangeWords({ ...SOME, start: null, stop: null, whole: true, selected: 6 })).toBe("Whole run");
    expect(rangeWords({ ...SOME, start: null, stop: null, whole: true, selected: 0, total: 0 })).toBe("Whole profile");
  });
});
