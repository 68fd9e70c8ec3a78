// Which columns a table shows at first: what most readers want, in an order that reads well. All others are one
// click away. What says nothing without a GPU is left out where there is none.

const GPU_ONLY = /gpu|kernel|tc_|_tc|overhead|waves|occupancy|memcp|memset/;

export function forContents(keys: readonly string[], gpu: boolean): string[] {
  return gpu ? [...keys] : keys.filter((key) => !GPU_ONLY.test(key));
}

export const OPS = [
  "op_name",
  "direction",
  "calls",
  "self_gpu_time_ns",
  "total_gpu_time_ns",
  "self_cpu_time_ns",
  "total_cpu_time_ns",
  "tc_eligible",
  "using_tc",
  "kernels",
  "avg_gpu_time_ns",
  "avg_cpu_time_ns",
  "total_cpu_overhead_ns",
  "total_gpu_idle_ns",
  "layer",
  "shapes",
  "dtypes",
] as const;

export const RANGES = [
  "range",
  "domain",
  "calls",
  "self_time_ns",
  "self_share_pct",
  "total_time_ns",
  "avg_time_ns",
  "median_time_ns",
  "p95_time_ns",
  "max_time_ns",
  "projected_gpu_time_ns",
  "gpu_ops",
  "threads",
] as const;

export const OP_TYPES = [
  "op_type",
  "ops",
  "calls",
  "self_gpu_time_ns",
  "total_gpu_time_ns",
  "avg_gpu_time_ns",
  "max_gpu_time_ns",
  "self_cpu_time_ns",
  "total_cpu_time_ns",
  "avg_cpu_time_ns",
  "p95_cpu_time_ns",
  "total_cpu_overhead_ns",
  "total_gpu_idle_ns",
] as const;

export const KERNELS = [
  "kernel_name",
  "calls",
  "total_gpu_time_ns",
  "kernel_share_pct",
  "avg_gpu_time_ns",
  "uses_tc",
  "tc_evidence",
  "op_name",
  "direction",
  "class",
  "min_gpu_time_ns",
  "max_gpu_time_ns",
  "occupancy_pct",
  "waves",
  "layer",
] as const;

export const TENSOR_CORES = [
  "op_name",
  "direction",
  "uses_tc",
  "tc_utilization_pct",
  "total_gpu_time_ns",
  "tc_gpu_time_ns",
  "non_tc_gpu_time_ns",
  "calls",
  "kernels",
  "tc_kernels",
  "non_tc_kernels",
  "tc_evidence",
  "dtypes",
  "shapes",
  "non_tc_kernel_names",
  "tc_kernel_names",
  "layer",
] as const;

export const LAUNCHES = [
  "kernel_name",
  "gpu_start_ns",
  "gpu_duration_ns",
  "op_name",
  "iteration",
  "uses_tc",
  "tc_evidence",
  "launch_delay_ns",
  "api_duration_ns",
  "rank",
  "device",
  "stream",
  "direction",
  "grid_x",
  "grid_y",
  "grid_z",
  "block_x",
  "block_y",
  "block_z",
  "registers_per_thread",
  "shared_bytes",
  "occupancy_pct",
  "waves",
  "layer",
] as const;

export const ITERATIONS = [
  "iteration",
  "rank",
  "name",
  "begin_ns",
  "duration_ns",
  "op_calls",
  "cpu_time_ns",
  "kernels",
  "kernel_time_ns",
  "tc_kernel_time_ns",
  "memory_time_ns",
  "warmup",
] as const;
