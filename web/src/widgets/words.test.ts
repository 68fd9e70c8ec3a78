import { describe, expect, it } from "vitest";
import { pageWords, sentence } from "./words";

describe("texts of the program on the page", () => {
  it("leave out the options of the command line", () => {
    expect(pageWords("the first iteration is left out as warm-up; --all-iterations takes it in")).toBe("the first iteration is left out as warm-up");
    expect(pageWords("the first 25 iterations are left out as warm-up; --all-iterations takes them in")).toBe("the first 25 iterations are left out as warm-up");
    expect(pageWords("two clocks; one is off")).toBe("two clocks; one is off");
    for (const text of [
      "no iteration was found: no step marker, no optimizer step and no repeating pattern. Name one with --key-op or --iteration-range",
      "--key-op and --iteration-range exclude each other",
      'the pattern "([" of --iteration-range is not valid: missing ]: [',
      "'opsight report NAME --report detailed,ranges' lists them",
      "'opsight report NAME --report ranges' lists them",
      "the range 'step' comes 12 times: --iteration-range '^step$' makes an iteration of each",
      "the viewer was started with --read-only",
    ]) {
      expect(pageWords(text)).not.toMatch(/--|opsight report/);
    }
  });
  it("begin with a capital, but names stay as they are", () => {
    expect(sentence("the first iteration is left out")).toBe("The first iteration is left out");
    expect(sentence("training.opsight is truncated")).toBe("training.opsight is truncated");
    expect(sentence("resnet50_a.opsight: is empty")).toBe("resnet50_a.opsight: is empty");
    expect(sentence("aten::mm is not an op")).toBe("aten::mm is not an op");
    expect(sentence("'abc' is not a value")).toBe("'abc' is not a value");
  });
});
