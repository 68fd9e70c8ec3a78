// The colours of the theme that is shown, from the style sheet.
import { mix, parseColor, type Palette } from "../engine/colors";

export interface Theme {
  palette: Palette;
  band: number; // every other iteration, behind the tracks
  outside: number; // of the chosen range
  group: number; // behind rows of groups
  grid: number; // at marks of the ruler
  line: string;
  strong: string;
  text: string;
  faint: string;
  accent: string;
  surface: string;
  font: string;
}

const KIND_VARIABLES: Record<string, string> = {
  op_forward: "--tl-forward",
  op_backward: "--tl-backward",
  op_optimizer: "--tl-optimizer",
  op_dataload: "--c-dataloader",
  op_other: "--tl-op",
  module: "--tl-module",
  runtime_api: "--tl-api",
  driver_api: "--tl-driver",
  overhead: "--tl-overhead",
  dataload: "--c-dataloader",
  file_io: "--c-io",
  other: "--tl-other",
  os_runtime: "--c-io",
  message_passing: "--c-communication",
  library: "--tl-api",
  annotation: "--tl-range",
  python: "--tl-python",
  iteration: "--tl-iteration",
  kernel: "--c-other_kernel",
  tensor_core_kernel: "--c-tensor_core",
  kernel_unknown_tc: "--c-unknown",
  communication_kernel: "--c-communication",
  memcpy: "--c-memory",
  memset: "--c-memory",
  device_annotation: "--tl-range",
  wait: "--tl-overhead",
  device_other: "--tl-other",
  graph: "--tl-module",
};
const NAME_COLORS = 12;

export function themeOf(element: Element, kinds: readonly string[]): Theme {
  const style = getComputedStyle(element);
  const text = (name: string): string => style.getPropertyValue(name).trim();
  const color = (name: string): number => parseColor(text(name));
  return {
    palette: {
      background: color("--surface"),
      kinds: kinds.map((kind) => color(KIND_VARIABLES[kind] ?? "--tl-other")),
      names: Array.from({ length: NAME_COLORS }, (_, i) => color(`--tl-name-${String(i)}`)),
      tensorCore: color("--c-tensor_core"),
      noTensorCore: color("--c-other_kernel"),
      unknown: color("--c-unknown"),
      neutral: color("--tl-neutral"),
    },
    band: color("--tl-band"),
    outside: color("--tl-outside"),
    group: color("--surface-2"),
    grid: color("--surface-3"),
    line: text("--line"),
    strong: text("--line-2"),
    text: text("--text"),
    faint: text("--text-2"),
    accent: text("--accent"),
    surface: text("--surface"),
    font: style.fontFamily || "sans-serif",
  };
}

// The colours where a legend hides kinds: these fade into the background, and keep their place.
export function hiding(palette: Palette, kinds: readonly string[], hidden: ReadonlySet<string>): Palette {
  const gone = new Set(LEGEND.filter((entry) => hidden.has(legendKey(entry))).flatMap((entry) => entry.kinds));
  if (gone.size === 0) return palette;
  const faded = (kind: string, color: number) => (gone.has(kind) ? mix(palette.background, color, 0.08) : color);
  return {
    ...palette,
    kinds: palette.kinds.map((color, i) => faded(kinds[i] ?? "", color)),
    tensorCore: faded("tensor_core_kernel", palette.tensorCore),
    noTensorCore: faded("kernel", palette.noTensorCore),
    unknown: faded("kernel_unknown_tc", palette.unknown),
  };
}

// What the colours of kinds mean, for the legend: only kinds of the tracks that are there.
export interface LegendEntry {
  label: string;
  variable: string;
  kinds: readonly [string, ...string[]];
}

// Its name in the address.
export const legendKey = (entry: LegendEntry): string => entry.kinds[0];

export const LEGEND: readonly LegendEntry[] = [
  { label: "forward", variable: "--tl-forward", kinds: ["op_forward"] },
  { label: "backward", variable: "--tl-backward", kinds: ["op_backward"] },
  { label: "optimizer", variable: "--tl-optimizer", kinds: ["op_optimizer"] },
  { label: "layer", variable: "--tl-module", kinds: ["module"] },
  { label: "data loading", variable: "--c-dataloader", kinds: ["op_dataload", "dataload"] },
  { label: "API call", variable: "--tl-api", kinds: ["runtime_api", "driver_api", "library"] },
  { label: "waiting", variable: "--tl-overhead", kinds: ["wait", "overhead"] },
  { label: "Tensor Core kernel", variable: "--c-tensor_core", kinds: ["tensor_core_kernel"] },
  { label: "other kernel", variable: "--c-other_kernel", kinds: ["kernel"] },
  { label: "kernel, TC unknown", variable: "--c-unknown", kinds: ["kernel_unknown_tc"] },
  { label: "communication", variable: "--c-communication", kinds: ["communication_kernel", "message_passing"] },
  { label: "memory", variable: "--c-memory", kinds: ["memcpy", "memset"] },
  { label: "range", variable: "--tl-range", kinds: ["annotation", "device_annotation"] },
];
