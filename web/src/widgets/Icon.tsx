// Drawn on a grid of 20, in the colour of the text.
const PATHS = {
  dashboard: "M3 3h6v7H3zM11 3h6v4h-6zM11 9h6v8h-6zM3 12h6v5H3z",
  iterations: "M3 17V9M8 17V4M13 17v-6M18 17V7",
  ops: "M4 5h12M4 10h12M4 15h7",
  types: "M4 4h5v5H4zM11 4h5v5h-5zM4 11h5v5H4zM13.500 11l2.800 5h-5.600z",
  layers: "M10 3l7 3.500-7 3.500-7-3.500zM3 10l7 3.500 7-3.500M3 13.500l7 3.500 7-3.500",
  roofline: "M2 17L10 6h8M12 11v.5M7 15v.5M15 9v.5",
  model: "M7 2h6v4H7zM2 14h6v4H2zM12 14h6v4h-6zM10 6v4M5 14v-4h10v4",
  kernels: "M6 6h8v8H6zM8 3v3M12 3v3M8 14v3M12 14v3M3 8h3M3 12h3M14 8h3M14 12h3",
  byIteration: "M4 4h5v5H4zM4 12h5v4H4zM12 5h5M12 8h5M12 13h5M12 16h5",
  byOp: "M4 4h6M6 8h8M8 12h8M10 16h7M4 4v1",
  gpu: "M2 6h14v8H2zM16 8h2v4h-2M5 14v3M8 14v3M6.500 10a2 2 0 104 0 2 2 0 10-4 0",
  memory: "M2 14c3 0 3-8 6-8s2 5 5 5 2-7 5-7M2 17h16",
  network: "M10 6a2 2 0 100-4 2 2 0 000 4M4 17a2 2 0 100-4 2 2 0 000 4M16 17a2 2 0 100-4 2 2 0 000 4M9 6l-4 7M11 6l4 7M6 15h8",
  timeline: "M2 5h9M6 10h11M4 15h8",
  ranges: "M3 4v12M17 4v12M3 10h14M6 7l-3 3 3 3M14 7l3 3-3 3",
  trend: "M3 15l4-4 3 3 7-8M17 10V6h-4",
  sweep: "M3 3v14h14M5 15c2-7 5-9 11-10M7 12.500v.5M10 8.500v.5M14 6v.5",
  cloud: "M3 3v14h14M6 6v.5M9 8v.5M8 11v.5M11 10v.5M14 9v.5M12 13v.5M15 13v.5M6 9c1 4 4 5 10 6",
  fleet: "M3 3h14v4H3zM3 8h14v4H3zM3 13h14v4H3zM6 5h.5M6 10h.5M6 15h.5",
  heat: "M3 3h4v4H3zM8 3h4v4H8zM13 3h4v4h-4zM3 8h4v4H3zM8 8h4v4H8zM13 8h4v4h-4zM3 13h4v4H3zM8 13h4v4H8zM13 13h4v4h-4z",
  compare: "M7 3v14M13 3v14M3 7l4-4 4 4M9 13l4 4 4-4",
  diagnostics: "M10 3l8 14H2zM10 8v4M10 14.500v.5",
  sun: "M10 6.500a3.500 3.500 0 100 7 3.500 3.500 0 000-7M10 1.500v2M10 16.500v2M1.500 10h2M16.500 10h2M4 4l1.400 1.400M14.600 14.600L16 16M4 16l1.400-1.400M14.600 5.400L16 4",
  moon: "M16.500 12A7 7 0 018 3.500 7 7 0 1016.500 12z",
  help: "M10 18a8 8 0 100-16 8 8 0 000 16M7.500 7.500a2.500 2.500 0 115 0c0 1.500-2.500 2-2.500 3.500M10 14v.5",
  close: "M5 5l10 10M15 5L5 15",
  up: "M5 12l5-5 5 5",
  down: "M5 8l5 5 5-5",
  left: "M12 5l-5 5 5 5",
  right: "M8 5l5 5-5 5",
  search: "M9 15A6 6 0 109 3a6 6 0 000 12M13.500 13.500L18 18",
  filter: "M3 4h14l-5.500 7v5l-3 1.500V11z",
  columns: "M3 4h14v12H3zM8 4v12M12.500 4v12",
  download: "M10 3v9M6 9l4 4 4-4M4 17h12",
  copy: "M7 7h10v10H7zM4 13H3V3h10v1",
  check: "M4 10l4 4 8-9",
  arrow: "M4 10h12M11 5l5 5-5 5",
  zoomOut: "M9 15A6 6 0 109 3a6 6 0 000 12M13.500 13.500L18 18M6.500 9h5",
  clock: "M10 18a8 8 0 100-16 8 8 0 000 16M10 5.500V10l3 2",
  trash: "M4 6h12M8 6V4h4v2M6 6l1 11h6l1-11",
  info: "M10 18a8 8 0 100-16 8 8 0 000 16M10 9v5M10 6v.5",
  menu: "M3 5h14M3 10h14M3 15h14",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
