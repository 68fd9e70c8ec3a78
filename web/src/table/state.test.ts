import { describe, expect, it } from "vitest";
import { patched } from "../address/route";
import { ApiError } from "../api/client";
import { filterTexts, notThere, readState, refusedState, stateParams, statePatch, withFilters } from "./state";

describe("the state of a table in the address", () => {
  it("has defaults", () => {
    expect(readState(new URLSearchParams(), "")).toEqual({ sort: null, page: 0, size: 25, search: "", filters: [], columns: null });
  });
  it("survives the way through the address", () => {
    const filters = [
      { key: "kernel_name", op: "contains" as const, value: "a:b&c" },
      { key: "calls", op: "ge" as const, value: "5" },
    ];
    let params = patched(new URLSearchParams("profile=1"), statePatch({ filters, search: "x y" }, "k."));
    params = patched(params, statePatch({ sort: { key: "calls", descending: false } }, "k."));
    params = patched(params, statePatch({ page: 3 }, "k."));
    const back = readState(new URLSearchParams(params.toString()), "k.");
    expect(back).toEqual({ sort: { key: "calls", descending: false }, page: 3, size: 25, search: "x y", filters, columns: null });
    expect(params.get("profile")).toBe("1");
  });
  it("starts at the first page when other rows are chosen, but not when other columns are", () => {
    const at3 = new URLSearchParams("page=3");
    expect(readState(patched(at3, statePatch({ search: "a" }, "")), "").page).toBe(0);
    expect(readState(patched(at3, statePatch({ columns: ["a", "b"] }, "")), "")).toMatchObject({ page: 3, columns: ["a", "b"] });
  });
  it("does not trust what somebody typed into the address", () => {
    const state = readState(new URLSearchParams("page=-1&size=99999&filter=nonsense&filter=a:like:b&sort=x"), "");
    expect(state).toMatchObject({ page: 0, size: 1000, filters: [], sort: { key: "x", descending: true } });
    expect(readState(new URLSearchParams("size=0"), "").size).toBe(25);
  });
  it("becomes the request", () => {
    const state = readState(new URLSearchParams("sort=calls:asc&page=2&size=50&filter=a:eq:1"), "");
    expect(stateParams(state)).toEqual({ sort: "calls:asc", page: 2, page_size: 50, search: "" });
    expect(filterTexts(state)).toEqual(["a:eq:1"]);
  });
});

describe("filters of one column", () => {
  it("replace each other and leave those of others", () => {
    const state = readState(new URLSearchParams("filter=a:ge:1&filter=a:lt:2&filter=b:eq:x"), "");
    expect(withFilters(state, "a", [{ key: "a", op: "eq", value: "5" }])).toEqual([
      { key: "b", op: "eq", value: "x" },
      { key: "a", op: "eq", value: "5" },
    ]);
  });
});

describe("what the server refuses of a table", () => {
  const asked = readState(new URLSearchParams("sort=a&filter=b:eq:1"), "");
  it("is told by its code, whatever its words", () => {
    const refused = (code: ApiError["code"]) => refusedState(asked, "k.", new ApiError(400, code, "any words", "")).map((each) => each.key);
    expect(refused("wrong_sort")).toEqual(["k.sort"]);
    expect(refused("wrong_filter")).toEqual(["k.filter"]);
    expect(refused("bad_request")).toEqual([]);
  });
  it("is a lost selection only where the filter for it is refused", () => {
    const lost = (code: ApiError["code"]) => notThere({ error: new ApiError(400, code, "any words", ""), isPlaceholderData: false });
    expect(lost("wrong_filter")).toBe(true);
    expect(lost("bad_request")).toBe(false); // of the range
  });
  it("takes no words for a reason", () => {
    expect(refusedState(asked, "", new ApiError(400, "bad_request", "report x cannot be sorted by 'a'", ""))).toEqual([]);
  });
});
