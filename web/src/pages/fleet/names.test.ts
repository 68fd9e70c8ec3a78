import { describe, expect, it } from "vitest";
import type { Table } from "../../api/types";
import { Row } from "../../table/row";
import { namesOfRuns } from "./names";

const range: Table["range"] = { source: "", confidence: 1, start: 0, stop: 0, total: 0, selected: 0, description: "", whole: false, left_out: [], notes: [] };
const table = (keys: readonly string[], rows: Table["rows"]): Table => ({
  name: "",
  title: "",
  columns: keys.map((key) => ({ key, header: key, unit: "none" })),
  rows,
  rows_in_all: rows.length,
  rows_matching: rows.length,
  notes: [],
  range,
});
const RUNS = table(
  ["run", "name"],
  [
    ["aaaaaaaaaaaaaaaaaaaa", "night"],
    ["bbbbbbbbbbbbbbbbbbbb", "day"],
    ["cccccccccccccccccccc", "day"],
  ],
);

describe("namesOfRuns", () => {
  const worst = (run: string, known: Table | undefined = RUNS) => {
    const found = table(["worst_run"], [[run]]);
    return namesOfRuns(known)(new Row(found, found.rows[0] ?? []), found.columns[0] ?? { key: "", header: "", unit: "none" });
  };
  it("names the run of a finding, where no other has its name", () => {
    expect(worst("aaaaaaaaaaaaaaaaaaaa")).toBe("night");
    expect("bbbbbbbbbbbbbbbbbbbb".startsWith(String(worst("bbbbbbbbbbbbbbbbbbbb")))).toBe(true);
    expect("dddddddddddddddddddd".startsWith(String(worst("dddddddddddddddddddd")))).toBe(true);
    expect("aaaaaaaaaaaaaaaaaaaa".startsWith(String(worst("aaaaaaaaaaaaaaaaaaaa", table(["run", "name"], []))))).toBe(true);
  });
});
