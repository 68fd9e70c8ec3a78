// The views: what the navigation lists, and what an address opens.
import { AdvicePage } from "./AdvicePage";
import { CloudPage } from "./CloudPage";
import { CommunicationPage } from "./CommunicationPage";
import { ComparePage } from "./ComparePage";
import { DashboardPage } from "./DashboardPage";
import { DiagnosticsPage } from "./DiagnosticsPage";
import { FleetPage } from "./FleetPage";
import { GpusPage } from "./GpusPage";
import { IterationsPage } from "./IterationsPage";
import { KernelsByIterationPage } from "./KernelsByIterationPage";
import { KernelsByOpPage } from "./KernelsByOpPage";
import { KernelsPage } from "./KernelsPage";
import { LayersPage } from "./LayersPage";
import { MemoryPage } from "./MemoryPage";
import { MicroscopePage } from "./MicroscopePage";
import { ModelGraphPage } from "./ModelGraphPage";
import { OpsPage } from "./OpsPage";
import { OpTypesPage } from "./OpTypesPage";
import type { Page } from "./page";
import { RangesPage } from "./RangesPage";
import { RanksPage } from "./RanksPage";
import { RecordedPage } from "./RecordedPage";
import { RooflinePage } from "./RooflinePage";
import { SweepPage } from "./SweepPage";
import { TimelinePage } from "./TimelinePage";
import { TrendPage } from "./TrendPage";

export const PAGES: readonly Page[] = [
  { id: "dashboard", title: "Dashboard", group: "Overview", icon: "dashboard", key: "d", component: DashboardPage, parameters: ["rank", "hide"] },
  { id: "advice", title: "Advice", group: "Overview", icon: "check", key: "v", component: AdvicePage },
  { id: "iterations", title: "Iterations", group: "Overview", icon: "iterations", key: "i", component: IterationsPage, parameters: ["rank", "hide"] },
  { id: "timeline", title: "Timeline", group: "Overview", icon: "timeline", key: "t", component: TimelinePage, parameters: ["path", "begin", "end", "of", "track", "span", "find", "at", "from", "to", "colour", "hide", "call"] },
  { id: "ranges", title: "Ranges", group: "Overview", icon: "ranges", key: "e", component: RangesPage, parameters: ["merge"] },
  { id: "types", title: "Op types", group: "Model", icon: "types", key: "y", component: OpTypesPage },
  { id: "layers", title: "Layers", group: "Model", icon: "layers", key: "l", component: LayersPage, parameters: ["measure", "path"] },
  { id: "model", title: "Model graph", group: "Model", icon: "model", key: "p", component: ModelGraphPage, parameters: ["colour", "open"] },
  { id: "ops", title: "Ops and kernels", group: "Model", icon: "ops", key: "o", component: OpsPage, parameters: ["reveal", "path"] },
  { id: "roofline", title: "Roofline", group: "Model", icon: "roofline", key: "r", component: RooflinePage, parameters: ["tab", "reveal", "device", "hide"] },
  { id: "microscope", title: "Microscope", group: "Model", icon: "heat", key: "u", component: MicroscopePage, parameters: ["tab", "order", "measure"] },
  { id: "by-iteration", title: "Kernels by iteration", group: "Kernels", icon: "byIteration", key: "k", component: KernelsByIterationPage, parameters: ["each"] },
  { id: "by-op", title: "Kernels by op", group: "Kernels", icon: "byOp", key: "b", component: KernelsByOpPage, parameters: ["op", "each"] },
  { id: "kernels", title: "Kernels", group: "Kernels", icon: "kernels", key: "a", component: KernelsPage, parameters: ["tab", "reveal", "path"] },
  { id: "gpus", title: "GPUs", group: "Hardware", icon: "gpu", key: "g", component: GpusPage, parameters: ["hide"] },
  { id: "memory", title: "Memory", group: "Hardware", icon: "memory", key: "m", component: MemoryPage },
  { id: "communication", title: "Communication", group: "Hardware", icon: "network", key: "n", component: CommunicationPage, parameters: ["measure", "call", "hide"] },
  { id: "ranks", title: "Ranks", group: "Hardware", icon: "network", key: "q", component: RanksPage, parameters: ["measure"] },
  { id: "recorded", title: "API and system", group: "Hardware", icon: "byOp", key: "s", component: RecordedPage, parameters: ["tab"] },
  { id: "compare", title: "Compare runs", group: "Runs", icon: "compare", key: "c", component: ComparePage, parameters: ["with", "base_runs", "new_runs", "pick", "measure", "opened", "base_items", "new_items"] },
  { id: "trend", title: "Trend", group: "Runs", icon: "trend", key: "w", component: TrendPage },
  { id: "fleet", title: "Fleet", group: "Runs", icon: "fleet", key: "f", of: "store", component: FleetPage, parameters: ["store", "label", "run", "tab", "by", "hide", "base", "new"] },
  { id: "sweep", title: "Sweep", group: "Runs", icon: "sweep", key: "z", of: "sweep", component: SweepPage, parameters: ["sweep", "base", "x", "items", "work", "latency", "memory", "scale", "tab", "hide"] },
  { id: "mappings", title: "Mappings", group: "Runs", icon: "cloud", key: "j", of: "cloud", component: CloudPage, parameters: ["cloud", "objective", "scale", "draw", "hide"] },
  { id: "diagnostics", title: "Diagnostics", group: "Runs", icon: "diagnostics", key: "x", component: DiagnosticsPage },
];
