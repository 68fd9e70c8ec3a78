import type { Summary } from "../../api/types";
import type { Part } from "../../widgets/charts";

const RESOURCES = [
  ["tensor_core", "Tensor Core kernels", "tensor_core_kernel_pct"],
  ["other_kernel", "Kernels not known to use Tensor Cores", "non_tensor_core_kernel_pct"],
  ["communication", "Communication", "communication_pct"],
  ["memory", "Copies and sets", "memory_pct"],
  ["dataloader", "Data loading", "dataloader_pct"],
  ["io", "File I/O", "io_pct"],
  ["cpu", "CPU alone", "cpu_pct"],
  ["other", "Nothing recorded", "other_pct"],
] as const;

// What the wall clock was spent on: parts that exclude each other and make up the whole.
export function resourceParts(summary: Summary): Part[] {
  return RESOURCES.map(([key, name, field]) => ({ key, name, value: summary[field] ?? 0 }));
}

const CLASS_KEYS: Record<string, string> = {
  "Kernels using TC": "tensor_core",
  "Kernels whose name does not tell": "unknown",
  Memory: "memory",
  "All other kernels": "other_kernel",
};

const CLASS_NAMES: Record<string, string> = {
  "Kernels using TC": "Tensor Core kernels",
  "Kernels whose name does not tell": "Kernels, Tensor Cores unknown",
  Memory: "Copies and sets",
  "All other kernels": "Kernels known to use none",
};

export function kernelParts(summary: Summary): Part[] {
  return summary.all_kernels.flatMap((each) => {
    const key = CLASS_KEYS[each.name];
    return key ? [{ key, name: CLASS_NAMES[each.name] ?? each.name, value: each.gpu_time_ns }] : [];
  });
}
