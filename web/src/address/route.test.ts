import { describe, expect, it } from "vitest";
import { formatHash, linkTo, parseHash, patched, rangeOf, rankOf, scopeOf } from "./route";

describe("addresses", () => {
  it("opens the dashboard where nothing is named", () => {
    expect(parseHash("").view).toBe("dashboard");
    expect(parseHash("#/").view).toBe("dashboard");
  });
  it("come back as they were written", () => {
    const params = new URLSearchParams([
      ["filter", "op_name:contains:a&b=c"],
      ["filter", "calls:ge:5"],
    ]);
    const { view, params: back } = parseHash(formatHash("ops", params));
    expect(view).toBe("ops");
    expect(back.getAll("filter")).toEqual(["op_name:contains:a&b=c", "calls:ge:5"]);
  });
  it("are patched without touching the rest", () => {
    const before = new URLSearchParams("a=1&b=2&c=3");
    expect(patched(before, { a: null, b: ["x", "y"], d: 4 }).toString()).toBe("c=3&b=x&b=y&d=4");
    expect(before.toString()).toBe("a=1&b=2&c=3");
  });
  it("keep profile and range from view to view, and nothing else", () => {
    const from = new URLSearchParams("profile=1&iter_start=3&iter_stop=5&page=4&sel=7");
    expect(linkTo("kernels", from, { search: "gemm" })).toBe("#/kernels?profile=1&iter_start=3&iter_stop=5&search=gemm");
  });
  it("keep the chosen rank beside the range, and name it for requests", () => {
    const from = new URLSearchParams("profile=1&only_rank=3&all=1&rank=5");
    expect(linkTo("kernels", from)).toBe("#/kernels?profile=1&only_rank=3&all=1");
    expect(scopeOf(from)).toEqual({ all: "1", rank: "3" });
    expect(rangeOf(from)).toEqual({ all: "1" });
    expect(rankOf(new URLSearchParams("only_rank=0"))).toBe(0);
    for (const none of ["rank=3", "only_rank=", "only_rank=x", "only_rank=-1"]) expect(scopeOf(new URLSearchParams(none)), none).toEqual({});
  });
  it("name the range for requests", () => {
    expect(rangeOf(new URLSearchParams("iter_start=0&all=1&sort=x&key_op="))).toEqual({ iter_start: "0", all: "1" });
  });
});
