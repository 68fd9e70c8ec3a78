import { describe, expect, it } from "vitest";
import type { Table } from "../../api/types";
import { Row } from "../../table/row";
import { differenceTree } from "./differenceTree";

const table = (keys: string, rows: Table["rows"]): Table =>
  ({ columns: keys.split(" ").map((key) => ({ key, header: key, unit: "none" })), rows, rows_in_all: rows.length }) as unknown as Table;

// A block that got slower; an op that went from one block to the other, with the one kernel that both know and a new one;
// work that nothing launched; an op whose row the table does not have.
const layers = table("layer kind base_layer new_layer base_gpu_ns new_gpu_ns gpu_difference_ns base_cpu_ns new_cpu_ns cpu_difference_ns verdict evidence", [
  ["/A", "slower", "/A", "/A", 150, 120, -30, 8, 8, 0, "real", null],
  ["/B", "same work", "/B", "/B2", 40, 105, 65, 4, 4, 0, "noise", "/B -> /B2"],
  ["/", "same work", "/", "/", 9, 9, 0, 0, 0, 0, "equal", null],
]);
const OP = "op direction kind base_layer new_layer base_op_id new_op_id base_gpu_ns new_gpu_ns base_cpu_ns new_cpu_ns verdict evidence";
const ops = table(OP, [
  ["aten::mm", "fprop", "slower", "/A", "/A", 1, 11, 100, 120, 8, 8, "real", null],
  ["aten::sum", "fprop", "moved", "/A", "/B2", 2, 12, 50, 55, 0, 0, "noise", "/A -> /B2"],
  ["aten::add", "fprop", "same work", "/B", "/B2", 3, 13, 40, 40, 3, 3, "equal", null],
  ["outside of ops", "other", "same work", "/", "/", null, null, 9, 9, 0, 0, "equal", null],
]);
const kernels = table("kernel op direction kind base_layer new_layer base_op_id new_op_id base_gpu_ns new_gpu_ns verdict", [
  ["gemm", "aten::mm", "fprop", "slower", "/A", "/A", 1, 11, 100, 120, "real"],
  ["reduce", "aten::sum", "fprop", "same work", "/A", "/B2", 2, 12, 50, 50, "equal"],
  ["more", "aten::sum", "fprop", "added", null, "/B2", null, 12, null, 5, "real"],
  ["k", "aten::add", "fprop", "same work", "/B", "/B2", 3, 13, 40, 40, "equal"],
  ["loose", "outside of ops", "other", "same work", "/", "/", null, null, 9, 9, "equal"],
]);

describe("the tree of a difference", () => {
  const { table: made, parents } = differenceTree(layers, ops, kernels, "gpu");
  const rows = made.rows.map((cells) => new Row(made, cells));

  it("holds layers, ops and kernels, each below what it belongs to", () => {
    const lines = rows.map((row, at) => `${parents[at] === -1 ? "" : (rows[parents[at] ?? 0]?.text("name") ?? "")} > ${row.text("name") ?? ""}`);
    expect(lines).toEqual([
      " > /A", "/A > aten::mm", "aten::mm > gemm", "/A > aten::sum", "aten::sum > reduce",
      " > /B", "/B > aten::sum", "aten::sum > reduce", "aten::sum > more", "/B > aten::add", "aten::add > k", "/B > all other ops",
      " > /", "/ > outside of ops", "outside of ops > loose",
    ]);
    expect(new Set(rows.map((row) => row.text("id"))).size).toBe(rows.length);
  });

  it("has each nanosecond in one row of each level: what is below a row adds up to it", () => {
    for (const key of ["base_gpu_ns", "new_gpu_ns", "gpu_difference_ns"]) {
      rows.forEach((row, at) => {
        const below = rows.filter((_, child) => parents[child] === at);
        if (below.length > 0) expect(below.reduce((all, each) => all + (each.number(key) ?? 0), 0), `${row.text("name") ?? ""} ${key}`).toBe(row.number(key) ?? 0);
      });
    }
    const whole = (level: string) => rows.filter((row) => row.text("level") === level).reduce((all, row) => all + (row.number("gpu_difference_ns") ?? 0), 0);
    expect([whole("layer"), whole("op")]).toEqual([35, 35]);
  });

  it("shows a moved op where it was and where it is", () => {
    const moved = rows.filter((row) => row.text("name") === "aten::sum");
    expect(moved.map((row) => [row.number("base_gpu_ns"), row.number("new_gpu_ns"), row.text("pick")])).toEqual([[50, null, "op:2:12"], [null, 55, "op:2:12"]]);
  });

  it("has no kernels of time on the host", () => {
    const host = differenceTree(layers, ops, kernels, "cpu").table;
    const levels = host.rows.map((cells) => new Row(host, cells).text("level"));
    expect(levels).not.toContain("kernel");
  });

  it("puts all ops in one row where one side has no layers", () => {
    const one = table("layer base_layer new_layer base_gpu_ns new_gpu_ns", [["/", "/", "/", 199, 224]]);
    const { parents: above } = differenceTree(one, ops, kernels, "gpu");
    expect(above.filter((parent) => parent === 0)).toHaveLength(4);
  });
});
