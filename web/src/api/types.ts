// The shapes of the answers (docs/openapi.json describes them).
import type { Cell, Unit } from "../widgets/format";

export interface ErrorInfo {
  code: string;
  message: string;
  remedy: string;
}

export interface Profile {
  id: string;
  name: string;
  state: "ok" | "error";
  error: ErrorInfo | null;
  producer: string | null;
  duration_ns: number;
  ranks: number;
  devices: number;
  iterations: number;
  kernels: number;
  ops: number;
}

export interface Profiles {
  version: string;
  profiles: Profile[];
  read_only: boolean;
}

export interface Range {
  source: string;
  confidence: number;
  description: string;
  total: number;
  selected: number;
  start: number;
  stop: number;
  left_out?: number[];
  notes: string[];
}

export interface Column {
  key: string;
  head: string;
  unit: Unit;
}

export interface Table {
  name: string;
  title: string;
  columns: Column[];
  rows: Cell[][];
  rows_in_all: number;
  rows_matching: number;
  notes: string[];
  range: Range;
}

export interface DeviceUse {
  rank: number;
  device: number;
  name: string | null;
  gpu_utilization_pct: number | null;
  kernel_utilization_pct: number | null;
  busy_ns: number;
  idle: boolean;
}

export interface StreamUse {
  rank: number;
  device: number;
  context: number | null;
  stream: number;
  spans: number;
  busy_ns: number;
  host_wait_ns: number;
  kernel_wait_ns: number;
  other_wait_ns: number;
  busy_pct: number | null;
  queue_depth_mean: number | null;
  queue_depth_max: number | null;
  occupancy_pct: number | null;
}

export interface Diagnostic {
  key: string;
  severity: string;
  count: number;
  help: string;
}

export interface OpClass {
  name: string;
  gpu_time_ns: number;
  cpu_time_ns: number;
  ops: number;
  calls: number;
}

export interface KernelClass {
  name: string;
  gpu_time_ns: number;
  cpu_time_ns: number;
  count: number;
}

export interface Summary {
  wall_clock_ns: number | null;
  tensor_core_efficiency_pct: number | null;
  gpu_utilization_pct: number | null;
  kernel_utilization_pct: number | null;
  tensor_core_kernel_pct: number | null;
  non_tensor_core_kernel_pct: number | null;
  communication_pct: number | null;
  memory_pct: number | null;
  dataloader_pct: number | null;
  io_pct: number | null;
  cpu_pct: number | null;
  other_pct: number | null;
  tensor_core_kernel_share_pct: number | null;
  communication_ns: number | null;
  communication_overlap_pct: number | null;
  exposed_communication_ns: number | null;
  system: Record<string, string | number | null>;
  iterations: {
    total: number;
    selected: number;
    start: number;
    stop: number;
    source: string;
    confidence: number;
    description: string;
    avg_iteration_time_ns: number | null;
    mean_ns: number | null;
    min_ns: number | null;
    median_ns: number | null;
    p95_ns: number | null;
    max_ns: number | null;
    stddev_ns: number | null;
    warmup: number;
  };
  devices: DeviceUse[];
  streams: StreamUse[];
  all_ops: OpClass[];
  all_kernels: KernelClass[];
  diagnostics: Diagnostic[];
  notes: string[];
}

export interface SummaryAnswer {
  range: Range;
  summary: Summary;
}

export const SHARES = ["tensor_core", "other_kernel", "communication", "memory", "dataloader", "io", "cpu", "other"] as const;
export type Share = (typeof SHARES)[number];

export interface IterationShares {
  rank: number;
  iteration: number;
  name?: string;
  begin_ns: number;
  dur_ns: number;
  selected: boolean;
  warm_up: boolean;
  shares_ns: Record<Share, number>;
}

export interface IterationsAnswer {
  iterations: IterationShares[];
  range: Range;
}

export interface LayerTimes {
  cpu_ns: number;
  gpu_ns: number;
  kernels: number;
}

export interface LayerRow {
  id: number;
  parent: number | null;
  name: string;
  path?: string;
  depth: number;
  calls: number;
  fwd: LayerTimes;
  bwd: LayerTimes;
  self: LayerTimes;
}

export interface LayersAnswer {
  layers: LayerRow[];
  range: Range;
}

export interface GpuDevice extends DeviceUse {
  compute_capability: string | null;
  sm_count: number | null;
  memory_bytes: number | null;
  clock_mhz?: number | null;
  streams: StreamUse[];
}

export interface GpusAnswer {
  devices: GpuDevice[];
  range: Range;
}

export interface MemoryDevice {
  device: number;
  kind: string;
  rank?: number;
  points: [number, number, number][];
  peak_allocated: number;
  peak_at_ns: number;
}

export interface MemoryAnswer {
  available: boolean;
  devices: MemoryDevice[];
}

export interface Info {
  producer: string;
  writer: string;
  frameworks: string[];
  sources: string[];
  ranks: Record<string, Cell>[];
  devices: Record<string, Cell>[];
  range: { begin_ns: number; end_ns: number; ns: number; origin_ns: number; origin_is_unix: boolean };
  iterations: Range;
  counts: Record<string, number>;
  diagnostics: Diagnostic[];
  properties: Record<string, string>;
}

export interface Aggregation {
  id: string;
  name: string;
  range: Range;
  parameters: Record<string, string | number | boolean>;
}

export interface AggregationsAnswer {
  aggregations: Aggregation[];
}

export interface Finding {
  id: string;
  problem: string;
  severity?: string;
  recommendation: string;
  evidence?: string;
}

export interface FindingsAnswer {
  findings: Finding[];
}
