import { describe, expect, it } from "vitest";
import type { Summary } from "../../api/types";
import { firstLook, kernelParts, resourceParts } from "./parts";

const summary = (part: Partial<Summary>): Summary =>
  ({
    tensor_core_kernel_pct: 0,
    non_tensor_core_kernel_pct: 0,
    communication_pct: 0,
    memory_pct: 0,
    dataloader_pct: 0,
    io_pct: 0,
    cpu_pct: 0,
    other_pct: 0,
    all_kernels: [],
    all_ops: [],
    ...part,
  }) as unknown as Summary;

describe("the dashboard's parts", () => {
  it("show every share once, unknown ones as none", () => {
    const parts = resourceParts(summary({ cpu_pct: 60, other_pct: 40, memory_pct: null }));
    expect(parts.map((part) => part.value)).toEqual([0, 0, 0, 0, 0, 0, 60, 40]);
    expect(new Set(parts.map((part) => part.key)).size).toBe(parts.length);
  });
  it("leave the line for all kernels out of the classes", () => {
    const kernels = [
      { name: "All kernels", gpu_time_ns: 30, cpu_time_ns: 0, count: 2 },
      { name: "Memory", gpu_time_ns: 10, cpu_time_ns: 0, count: 1 },
      { name: "All other kernels", gpu_time_ns: 20, cpu_time_ns: 0, count: 1 },
    ];
    expect(kernelParts(summary({ all_kernels: kernels })).map((part) => [part.key, part.value])).toEqual([
      ["memory", 10],
      ["other_kernel", 20],
    ]);
  });
  it("point to the greatest share first", () => {
    expect(firstLook(summary({ dataloader_pct: 51, cpu_pct: 49 }), true)?.view).toBe("iterations");
    expect(firstLook(summary({ communication_pct: 90 }), true)?.view).toBe("communication");
    expect(firstLook(summary({ cpu_pct: 90 }), true)?.view).toBe("ops");
    expect(firstLook(summary({ cpu_pct: 90 }), false)?.view).toBe("layers");
    const ops = (eligible: number, others: number) => [
      { name: "Ops eligible for TC but not using", gpu_time_ns: eligible, cpu_time_ns: 0, ops: 1, calls: 1 },
      { name: "All other ops", gpu_time_ns: others, cpu_time_ns: 0, ops: 1, calls: 1 },
    ];
    expect(firstLook(summary({ non_tensor_core_kernel_pct: 90, all_ops: ops(9, 1) }), true)?.title).toContain("without Tensor Cores");
    expect(firstLook(summary({ non_tensor_core_kernel_pct: 90, all_ops: ops(1, 9) }), true)?.title).toContain("cannot help");
    expect(firstLook(summary({ non_tensor_core_kernel_pct: 90 }), true)?.title).toContain("cannot help");
    expect(firstLook(summary({}), true)).toBeNull();
  });
});
