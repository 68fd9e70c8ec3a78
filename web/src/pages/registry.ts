// The views: what the navigation lists, and what an address opens.
import type { ComponentType } from "react";
import type { IconName } from "../widgets/Icon";
import { CommunicationPage } from "./CommunicationPage";
import { ComparePage } from "./ComparePage";
import { DashboardPage } from "./DashboardPage";
import { DiagnosticsPage } from "./DiagnosticsPage";
import { GpusPage } from "./GpusPage";
import { IterationsPage } from "./IterationsPage";
import { KernelsByIterationPage } from "./KernelsByIterationPage";
import { KernelsByOpPage } from "./KernelsByOpPage";
import { KernelsPage } from "./KernelsPage";
import { LayersPage } from "./LayersPage";
import { MemoryPage } from "./MemoryPage";
import { ModelGraphPage } from "./ModelGraphPage";
import { OpsPage } from "./OpsPage";
import { OpTypesPage } from "./OpTypesPage";
import { RangesPage } from "./RangesPage";
import { RecordedPage } from "./RecordedPage";
import { RooflinePage } from "./RooflinePage";
import { TimelinePage } from "./TimelinePage";

export interface Page {
  id: string;
  title: string;
  group: string;
  icon: IconName;
  key: string; // after "g" on the keyboard
  component: ComponentType;
}

export const PAGES: readonly Page[] = [
  { id: "dashboard", title: "Dashboard", group: "Overview", icon: "dashboard", key: "d", component: DashboardPage },
  { id: "iterations", title: "Iterations", group: "Overview", icon: "iterations", key: "i", component: IterationsPage },
  { id: "timeline", title: "Timeline", group: "Overview", icon: "timeline", key: "t", component: TimelinePage },
  { id: "ranges", title: "Ranges", group: "Overview", icon: "ranges", key: "e", component: RangesPage },
  { id: "types", title: "Op types", group: "Model", icon: "types", key: "y", component: OpTypesPage },
  { id: "layers", title: "Layers", group: "Model", icon: "layers", key: "l", component: LayersPage },
  { id: "model", title: "Model graph", group: "Model", icon: "model", key: "p", component: ModelGraphPage },
  { id: "ops", title: "Ops and kernels", group: "Model", icon: "ops", key: "o", component: OpsPage },
  { id: "roofline", title: "Roofline", group: "Model", icon: "roofline", key: "r", component: RooflinePage },
  { id: "by-iteration", title: "Kernels by iteration", group: "Kernels", icon: "byIteration", key: "k", component: KernelsByIterationPage },
  { id: "by-op", title: "Kernels by op", group: "Kernels", icon: "byOp", key: "b", component: KernelsByOpPage },
  { id: "kernels", title: "Kernels", group: "Kernels", icon: "kernels", key: "a", component: KernelsPage },
  { id: "gpus", title: "GPUs", group: "Hardware", icon: "gpu", key: "g", component: GpusPage },
  { id: "memory", title: "Memory", group: "Hardware", icon: "memory", key: "m", component: MemoryPage },
  { id: "communication", title: "Communication", group: "Hardware", icon: "network", key: "n", component: CommunicationPage },
  { id: "recorded", title: "API and system", group: "Hardware", icon: "byOp", key: "s", component: RecordedPage },
  { id: "compare", title: "Compare runs", group: "Runs", icon: "compare", key: "c", component: ComparePage },
  { id: "diagnostics", title: "Diagnostics", group: "Runs", icon: "diagnostics", key: "x", component: DiagnosticsPage },
];

export const pageOf = (view: string): Page | undefined => PAGES.find((each) => each.id === view);
