import { describe, expect, it } from "vitest";
import type { Column } from "../api/types";
import { sayingColumns, sayingFacts } from "./columns";

const column = (key: string, device_only?: boolean): Column => ({ key, header: key, unit: "none", ...(device_only && { device_only }) });
const columns = [column("op_name"), ...["total_gpu_time_ns", "kernels", "total_cpu_overhead_ns"].map((key) => column(key, true))];
const keys = (of: readonly Column[]) => of.map((column) => column.key);

describe("columns about a GPU", () => {
  it("are shown where there is work of a device", () => {
    expect(keys(sayingColumns(columns, true))).toEqual(keys(columns));
  });
  it("are left out at first where there is none", () => {
    expect(keys(sayingColumns(columns, false))).toEqual(["op_name"]);
  });
  it("stay in details where they say something", () => {
    const values: Record<string, number | string | null> = { op_name: null, total_gpu_time_ns: 0, kernels: null, total_cpu_overhead_ns: 5 };
    expect(keys(sayingFacts(columns, false, (key) => values[key]))).toEqual(["op_name", "total_cpu_overhead_ns"]);
  });
});
