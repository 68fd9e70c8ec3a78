import type { Summary } from "../../api/types";
import type { Part } from "../../widgets/charts";

const RESOURCES = [
  ["tensor_core", "Tensor Core kernels", "tensor_core_kernel_pct"],
  ["other_kernel", "Other kernels", "non_tensor_core_kernel_pct"],
  ["communication", "Communication", "communication_pct"],
  ["memory", "Copies and sets", "memory_pct"],
  ["dataloader", "Data loading", "dataloader_pct"],
  ["io", "File I/O", "io_pct"],
  ["cpu", "CPU", "cpu_pct"],
  ["other", "Other", "other_pct"],
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
  "Kernels whose name does not tell": "Not told by their name",
  Memory: "Copies and sets",
  "All other kernels": "Other kernels",
};

export function kernelParts(summary: Summary): Part[] {
  return summary.all_kernels.flatMap((each) => {
    const key = CLASS_KEYS[each.name];
    return key ? [{ key, name: CLASS_NAMES[each.name] ?? each.name, value: each.gpu_time_ns }] : [];
  });
}

export interface Advice {
  title: string;
  text: string;
  view: string;
  tab?: string;
  link: string;
}

const FIRST_LOOK: Record<string, Advice> = {
  tensor_core: {
    title: "Tensor Cores do most of the work",
    text: "That is how it should be. What is left to gain lies in the longest kernels.",
    view: "kernels",
    link: "See the longest kernels",
  },
  other_kernel: {
    title: "Most time goes into kernels without Tensor Cores",
    text: "Look for eligible ops that do not use them: mixed precision, and sizes that are multiples of 8, often help most.",
    view: "kernels",
    tab: "tensor",
    link: "See what could use them",
  },
  communication: {
    title: "Waiting for other ranks takes most of the time",
    text: "See how much of it computation hides, and which rank comes last.",
    view: "communication",
    link: "See communication",
  },
  memory: {
    title: "Copies take most of the time",
    text: "Pinned memory, asynchronous copies and keeping data on the device are what to try.",
    view: "timeline",
    link: "See them in the timeline",
  },
  dataloader: {
    title: "The run waits for its data",
    text: "More workers, prefetching, or cheaper preprocessing come before any tuning of kernels.",
    view: "iterations",
    link: "See the iterations",
  },
  io: {
    title: "Reading and writing files takes most of the time",
    text: "Move it out of the training loop, or beside it.",
    view: "iterations",
    link: "See the iterations",
  },
  cpu: {
    title: "The GPU waits for the CPU most of the time",
    text: "Fewer and larger ops, larger batches, CUDA graphs or compiling give the GPU more to do.",
    view: "ops",
    link: "See which ops take it",
  },
  other: {
    title: "Most of the time nothing of the profile runs",
    text: "Something outside of the framework takes it: Python code, logging, waiting.",
    view: "iterations",
    link: "See the iterations",
  },
};

const NOT_FOR_TENSOR_CORES: Advice = {
  title: "Most time goes into kernels that Tensor Cores cannot help",
  text: "Elementwise ops, softmax, norms, copies: fusing them (torch.compile, fused or flash attention) and fewer passes over memory help here.",
  view: "ops",
  link: "See the ops that take most",
};

const CPU_ALONE: Advice = {
  title: "All of the work is done by the CPU",
  text: "Its ops are the work: see which layers take most, and whether data loading runs beside them.",
  view: "layers",
  link: "See which layers take it",
};

// Which of the shares is the greatest, and where to look then.
export function firstLook(summary: Summary, gpu: boolean): Advice | null {
  const parts = resourceParts(summary);
  const top = parts.reduce((best, part) => (part.value > best.value ? part : best));
  if (top.value <= 0) return null;
  if (top.key === "cpu" && !gpu) return CPU_ALONE;
  const timeOf = (name: string) => summary.all_ops.find((each) => each.name === name)?.gpu_time_ns ?? 0;
  const eligible = timeOf("Ops eligible for TC but not using");
  if (top.key === "other_kernel" && (eligible === 0 || eligible < timeOf("All other ops"))) return NOT_FOR_TENSOR_CORES;
  return FIRST_LOOK[top.key] ?? null;
}
