import type { Summary } from "../../api/types";
import type { Part } from "../../widgets/charts";

const RESOURCES = [
  ["tensor_core", "Tensor Core kernels", "tensor_core_kernel_pct"],
  ["unknown_kernel", "Kernels of unknown Tensor Core use", "unknown_kernel_pct"],
  ["other_kernel", "Kernels without Tensor Cores", "non_tensor_core_kernel_pct"],
  ["communication", "Communication", "communication_pct"],
  ["memory", "Copies and sets", "memory_pct"],
  ["dataloader", "Data loading", "dataloader_pct"],
  ["io", "File I/O", "io_pct"],
  ["cpu", "CPU alone", "cpu_pct"],
  ["host", "Python and other host time", "host_pct"],
  ["idle", "Idle or not recorded", "idle_pct"],
] as const;

type Field = (typeof RESOURCES)[number][2];
const OF_GPUS: ReadonlySet<Field> = new Set(["tensor_core_kernel_pct", "unknown_kernel_pct", "non_tensor_core_kernel_pct", "communication_pct", "memory_pct"]);

// A share of the wall clock; null where it was not recorded. Without any work of a GPU, none of its kinds was.
export function shareOf(summary: Summary, field: Field): number | null {
  const value = summary[field];
  return value === 0 && summary.gpu_utilization_pct === null && OF_GPUS.has(field) ? null : value;
}

// What the wall clock was spent on: parts that exclude each other and make up the whole. What was not recorded is
// no part, not one of 0.
export function resourceParts(summary: Summary): Part[] {
  return RESOURCES.flatMap(([key, name, field]) => {
    const value = shareOf(summary, field);
    return value === null ? [] : [{ key, name, value }];
  });
}

const CLASS_KEYS: Record<string, string> = {
  "Kernels using TC": "tensor_core",
  "Kernels whose name does not tell": "unknown",
  Communication: "communication",
  Memory: "memory",
  "All other kernels": "other_kernel",
  "Graphs recorded as a whole": "graph",
};

const CLASS_NAMES: Record<string, string> = {
  "Kernels using TC": "Tensor Core kernels",
  "Kernels whose name does not tell": "Kernels, Tensor Cores unknown",
  Communication: "Communication",
  Memory: "Copies and sets",
  "All other kernels": "Kernels without a sign of them",
  "Graphs recorded as a whole": "CUDA graphs without their kernels",
};

export function kernelParts(summary: Summary): Part[] {
  return summary.all_kernels.flatMap((each) => {
    const key = CLASS_KEYS[each.name];
    return key ? [{ key, name: CLASS_NAMES[each.name] ?? each.name, value: each.gpu_time_ns }] : [];
  });
}

// Ranges whose names differ in numbers alone are one: else a loop that numbers its passes hides what they take.
export const MERGED = { merge_numbers: true } as const;
