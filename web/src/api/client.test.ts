import { afterEach, describe, expect, it, vi } from "vitest";
import { apiUrl, getJson, postJson } from "./client";

describe("apiUrl", () => {
  it("leaves out what is not set", () => {
    expect(apiUrl("/profiles/0/summary", { all: undefined, key_op: "", iter_start: null })).toBe("./api/v1/profiles/0/summary");
  });
  it("repeats lists and escapes", () => {
    expect(apiUrl("/x", { filter: ["a:eq:1&2", "b:contains:%"], all: true, page: 0 })).toBe(
      "./api/v1/x?filter=a%3Aeq%3A1%262&filter=b%3Acontains%3A%25&all=1&page=0",
    );
  });
});

describe("getJson", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });
  const failing = (times: number) => {
    const fetch = vi.fn();
    for (let i = 0; i < times; i++) fetch.mockRejectedValueOnce(new TypeError("Failed to fetch"));
    fetch.mockResolvedValue(new Response("{}"));
    vi.stubGlobal("fetch", fetch);
    return fetch;
  };
  it("asks once more where the process that answers has gone, for another one goes on", async () => {
    const fetch = failing(1);
    expect(await getJson("/profiles")).toEqual({});
    expect(fetch).toHaveBeenCalledTimes(2);
  });
  it("asks no third time", async () => {
    const fetch = failing(2);
    await expect(getJson("/profiles")).rejects.toMatchObject({ code: "unreachable" });
    expect(fetch).toHaveBeenCalledTimes(2);
  });
  it("does not repeat what changes something", async () => {
    const fetch = failing(1);
    await expect(postJson("/profiles/0/aggregations", {})).rejects.toMatchObject({ code: "unreachable" });
    expect(fetch).toHaveBeenCalledTimes(1);
  });
});
