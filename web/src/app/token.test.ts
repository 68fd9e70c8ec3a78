import { describe, expect, it } from "vitest";
import { withToken } from "./token";

const here = { origin: "http://127.0.0.1:8000", hash: "#/ops?profile=run&sel=3" };

describe("a token that is given to the page", () => {
  it("leads to the same view, by the URL or alone", () => {
    expect(withToken(" http://127.0.0.1:8001/?token=ab12\n", here)).toBe("http://127.0.0.1:8001/?token=ab12#/ops?profile=run&sel=3");
    expect(withToken("ab12", here)).toBe("http://127.0.0.1:8000/?token=ab12#/ops?profile=run&sel=3");
  });
  it("is none where there is none", () => {
    for (const text of ["", "no token", "http://127.0.0.1:8000/", "javascript:alert(1)?token=ab", "http://127.0.0.1:8000/?token=<x>"])
      expect(withToken(text, here), text).toBeNull();
  });
});
