import { describe, expect, it } from "vitest";
import { apiUrl } from "./client";

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
