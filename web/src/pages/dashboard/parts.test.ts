import { describe, expect, it } from "vitest";
import type { Summary } from "../../api/types";
import { kernelParts, resourceParts } from "./parts";

const summary = (part: Partial<Summary>): Summary =>
  ({
    gpu_utilization_pct: 5,
    tensor_core_kernel_pct: 0,
    non_tensor_core_kernel_pct: 0,
    communication_pct: 0,
    memory_pct: 0,
    dataloader_pct: 0,
    io_pct: 0,
    cpu_pct: 0,
    unknown_kernel_pct: 0,
    host_pct: 0,
    idle_pct: 0,
    all_kernels: [],
    all_ops: [],
    ...part,
  }) as unknown as Summary;

describe("the dashboard's parts", () => {
  it("show every share once, and leave out what was not recorded", () => {
    const parts = resourceParts(summary({ cpu_pct: 60, idle_pct: 40, memory_pct: null }));
    expect(parts.map((part) => part.value)).toEqual([0, 0, 0, 0, 0, 0, 60, 0, 40]);
    expect(new Set(parts.map((part) => part.key)).size).toBe(parts.length);
  });
  it("leave out the GPU's where none was recorded, and none that is more than 0", () => {
    const parts = resourceParts(summary({ cpu_pct: 60, idle_pct: 39, memory_pct: 1, gpu_utilization_pct: null }));
    expect(parts.map((part) => part.key)).toEqual(["memory", "dataloader", "io", "cpu", "host", "idle"]);
  });
  it("leave the line for all kernels out of the classes", () => {
    const kernels = [
      { name: "All device work", gpu_time_ns: 30, cpu_time_ns: 0, count: 2 },
      { name: "Communication", gpu_time_ns: 5, cpu_time_ns: 0, count: 1 },
      { name: "Memory", gpu_time_ns: 10, cpu_time_ns: 0, count: 1 },
      { name: "All other kernels", gpu_time_ns: 20, cpu_time_ns: 0, count: 1 },
      { name: "Graphs recorded as a whole", gpu_time_ns: 7, cpu_time_ns: 0, count: 1 },
    ];
    expect(kernelParts(summary({ all_kernels: kernels })).map((part) => [part.key, part.value])).toEqual([
      ["communication", 5],
      ["memory", 10],
      ["other_kernel", 20],
      ["graph", 7],
    ]);
  });
});
