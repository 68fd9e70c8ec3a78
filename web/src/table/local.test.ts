import { describe, expect, it } from "vitest";
import type { Table } from "../api/types";
import { chooseRows, csvOf, foundIn, jsonOf, passes } from "./local";
import { readState, type TableState } from "./state";

const table: Table = {
  name: "layers",
  title: "",
  columns: [
    { key: "name", header: "Name", unit: "none" },
    { key: "time_ns", header: "Time (ns)", unit: "ns" },
    { key: "direction", header: "Direction", unit: "none", role: "direction", choices: [{ value: "bprop", word: "backward" }] },
  ],
  rows: [
    ["/", 100, "fprop"],
    ["/Net", 90, "fprop"],
    ["/Net/a", 30, "bprop"],
    ["/Net/b", 60, "fprop"],
    ["/loss", 10, "bprop"],
    ["/none", null, ""],
  ],
  rows_in_all: 6,
  rows_matching: 6,
  notes: [],
  range: { source: "", confidence: 1, start: 0, stop: 0, total: 0, selected: 0, description: "", whole: false, left_out: [], notes: [] },
};
const parents = [-1, 0, 1, 1, 0, 0];
const state = (query: string): TableState => readState(new URLSearchParams(query), "");
const tree = (...open: number[]) => ({ parents, isOpen: (row: number) => open.includes(row) });
const names = (rows: readonly number[]) => rows.map((row) => table.rows[row]?.[0]);
const shown = (query: string, open: number[], sort: TableState["sort"] = null) =>
  names(chooseRows(table, state(query), sort, tree(...open)).lines.map((line) => line.at));

describe("rows of a tree", () => {
  it("are those of open parents, in their order", () => {
    expect(shown("", [])).toEqual(["/"]);
    expect(shown("", [0])).toEqual(["/", "/Net", "/loss", "/none"]);
    expect(shown("", [0, 1])).toEqual(["/", "/Net", "/Net/a", "/Net/b", "/loss", "/none"]);
  });
  it("are sorted among siblings, without a value last", () => {
    const by = (descending: boolean) => shown("", [0, 1], { key: "time_ns", descending });
    expect(by(true)).toEqual(["/", "/Net", "/Net/b", "/Net/a", "/loss", "/none"]);
    expect(by(false)).toEqual(["/", "/loss", "/Net", "/Net/a", "/Net/b", "/none"]);
  });
  it("keep the ancestors of what a filter leaves, and tell them from it", () => {
    const { lines, matches } = chooseRows(table, state("filter=time_ns:eq:60"), null, tree());
    expect(names(lines.map((line) => line.at))).toEqual(["/", "/Net", "/Net/b"]);
    expect(lines.map((line) => line.matches)).toEqual([false, false, true]);
    expect(lines.map((line) => line.depth)).toEqual([0, 1, 2]);
    expect(names(matches)).toEqual(["/Net/b"]);
  });
  it("are found by a search, in the words of the cells too", () => {
    expect(shown("search=LOSS", [])).toEqual(["/", "/loss"]);
    expect(shown("search=backward", [])).toEqual(["/", "/Net", "/Net/a", "/loss"]);
    expect(foundIn("backward", table.columns, table.rows[2] ?? []).map((column) => column.key)).toEqual(["direction"]);
  });
});

describe("rows that the page has", () => {
  it("are filtered as the server does it", () => {
    const column = { key: "time_ns", header: "", unit: "ns" as const };
    const is = (op: "eq" | "ne" | "lt" | "le" | "gt" | "ge" | "contains", value: string, cell: number | string | null) => passes({ key: "", op, value }, column, cell);
    expect([is("gt", "5", 6), is("gt", "5", 5), is("ge", "5", 5), is("lt", "5", 4), is("le", "5", 6)]).toEqual([true, false, true, true, false]);
    expect([is("gt", "5", null), is("eq", "", null), is("ne", "", null), is("ne", "5", 5)]).toEqual([false, true, false, false]);
    expect(is("contains", "AB", "xaby")).toBe(true);
  });
  it("are exported whole, whatever is open", () => {
    const { matches } = chooseRows(table, state(""), null, tree());
    expect(csvOf(table, matches).split("\n")[1]).toBe("/,100,fprop");
    expect(csvOf(table, matches).trim().split("\n").length).toBe(7);
    expect(csvOf({ ...table, rows: [['a "b", c', 1, ""]] }, [0])).toContain('"a ""b"", c",1,');
    expect((JSON.parse(jsonOf(table, matches)) as unknown[])[2]).toEqual({ name: "/Net/a", time_ns: 30, direction: "bprop" });
  });
});
