import { expect, it } from "vitest";
import { withoutOptions } from "./Card";

it("notes are told without the options of the command line", () => {
  expect(withoutOptions("the first iteration is left out as warm-up; --all-iterations takes it in")).toBe("the first iteration is left out as warm-up");
  expect(withoutOptions("the first 25 iterations are left out as warm-up; --all-iterations takes them in")).toBe(
    "the first 25 iterations are left out as warm-up",
  );
  expect(withoutOptions("two clocks; one is off")).toBe("two clocks; one is off");
});
