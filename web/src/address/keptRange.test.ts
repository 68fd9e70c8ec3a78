import { describe, expect, it } from "vitest";
import { isChosen, keptPatch } from "./keptRange";
import { linkTo } from "./route";

describe("a kept range", () => {
  const kept = { parameters: { iter_start: 2, iter_stop: 4, key_op: "aten::nll_loss" } };
  it("stands in the address by what it means", () => {
    const from = new URLSearchParams("profile=a&aggregation=7&whole=1");
    expect(linkTo("ops", from, keptPatch(kept))).toBe("#/ops?profile=a&iter_start=2&iter_stop=4&key_op=aten%3A%3Anll_loss");
    expect(linkTo("ops", from, keptPatch({ parameters: { all: true } }))).toBe("#/ops?profile=a&all=1");
  });
  it("is the chosen one where the address says the same, in whatever order", () => {
    expect(isChosen(kept, new URLSearchParams("key_op=aten::nll_loss&iter_stop=4&iter_start=2&sort=calls"))).toBe(true);
    expect(isChosen(kept, new URLSearchParams("iter_stop=4&iter_start=2"))).toBe(false);
    expect(isChosen(kept, new URLSearchParams("key_op=aten::nll_loss&iter_stop=4&iter_start=3"))).toBe(false);
  });
});
