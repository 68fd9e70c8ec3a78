import { describe, expect, it } from "vitest";
import type { Table } from "../api/types";
import { said } from "../widgets/deviceWords";
import { saidTable } from "./saidTable";

const words = { device: "TPU", matrix_unit: "matrix unit", api: "runtime", multiprocessor: "core", clock: "CPU" };
const table: Table = {
  name: "",
  title: "",
  columns: [
    { key: "key", header: "GPU Key", unit: "none" },
    { key: "help", header: "Help", unit: "none" },
  ],
  rows: [["GPU", "kernels whose name does not tell whether they use Tensor Cores"]],
  rows_in_all: 1,
  rows_matching: 1,
  notes: [],
  range: { source: "", confidence: 1, start: 0, stop: 0, total: 0, selected: 0, description: "", whole: false, left_out: [], notes: [] },
};
const say = (text: string) => said(text, words);

describe("saidTable", () => {
  it("puts our own sentences into the words of the devices, and leaves names", () => {
    const shown = saidTable("diagnostics", table, say);
    expect(shown.rows).toEqual([["GPU", "kernels whose name does not tell whether they use matrix units"]]);
    expect(shown.columns[0]?.header).toBe("TPU Key");
    expect(saidTable("detailed", table, say).rows).toEqual(table.rows);
  });
});
