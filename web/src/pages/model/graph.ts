// From the server's graph to what is laid out and drawn: sizes, places, colours and words. Knows neither the page nor
// the library that lays it out.
import { formatNs } from "../../widgets/format";
import type { ModelAnswer, ModelItem } from "../../api/types";

export const COLOURS = ["time", "tc", "limiter"] as const;
export type Colour = (typeof COLOURS)[number];

export const COLOUR_NAMES: Record<Colour, string> = { time: "Time", tc: "Tensor Cores", limiter: "Limiter" };

// As much of the layout library's graph as is used here.
export interface LaidOut {
  id: string;
  x?: number;
  y?: number;
  width?: number;
  height?: number;
  children?: LaidOut[];
  edges?: { id: string; sources: string[]; targets: string[]; sections?: Section[]; container?: string }[];
  layoutOptions?: Record<string, string>;
}
interface Point {
  x: number;
  y: number;
}
interface Section {
  startPoint: Point;
  endPoint: Point;
  bendPoints?: Point[];
}

const LETTER = 7;
const TOGGLE = 18; // right of the name of a group
const NARROWEST = 84;
const WIDEST = 260;
export const HEIGHT = 44;
export const HEAD = 30; // of an open group

export const widthOf = (item: ModelItem, gpu = true): number =>
  Math.min(WIDEST, Math.max(NARROWEST, 34 + (item.group ? TOGGLE : 0) + LETTER * Math.max(item.label.length, subtitle(item, gpu).length)));

// What it is, and what it took: "Conv · 1.2 ms", of a group with its number of nodes.
export function subtitle(item: ModelItem, gpu = true): string {
  const what = item.group ? `${String(item.sums.nodes)} ops` : (item.op_type ?? "");
  return item.sums.matched === 0 ? what : `${what} · ${formatNs(timeOf(item, gpu))}`;
}

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "DOWN",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.layered.spacing.nodeNodeBetweenLayers": "26",
  "elk.spacing.nodeNode": "22",
  "elk.edgeRouting": "ORTHOGONAL",
};

export function toLayout(answer: ModelAnswer, gpu = true): LaidOut {
  const root: LaidOut = { id: "root", layoutOptions: OPTIONS, children: [], edges: [] };
  const boxes = new Map<string, LaidOut>();
  for (const item of answer.items) {
    const box: LaidOut = item.open
      ? { id: item.id, children: [], layoutOptions: { "elk.padding": `[top=${String(HEAD + 8)},left=12,bottom=12,right=12]` } }
      : { id: item.id, width: widthOf(item, gpu), height: HEIGHT };
    boxes.set(item.id, box);
    ((item.parent === null ? undefined : boxes.get(item.parent)) ?? root).children?.push(box);
  }
  root.edges = answer.edges.map((edge, at) => ({ id: `e${String(at)}`, sources: [edge.from], targets: [edge.to] }));
  return root;
}

export interface Box {
  item: ModelItem;
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface Drawing {
  width: number;
  height: number;
  boxes: Box[]; // groups before what is in them
  lines: { id: string; path: string }[];
}

// Places from the page's corner; the library tells them from the box around.
export function toDrawing(answer: ModelAnswer, laid: LaidOut): Drawing {
  const items = new Map(answer.items.map((item) => [item.id, item]));
  const corners = new Map<string, Point>([[laid.id, { x: 0, y: 0 }]]);
  const boxes: Box[] = [];
  const place = (around: LaidOut, corner: Point) => {
    for (const child of around.children ?? []) {
      const at = { x: corner.x + (child.x ?? 0), y: corner.y + (child.y ?? 0) };
      corners.set(child.id, at);
      const item = items.get(child.id);
      if (item) boxes.push({ item, ...at, width: child.width ?? 0, height: child.height ?? 0 });
      place(child, at);
    }
  };
  place(laid, { x: 0, y: 0 });
  const lines = (laid.edges ?? []).flatMap((edge) => {
    const corner = corners.get(edge.container ?? laid.id) ?? { x: 0, y: 0 };
    return (edge.sections ?? []).map((section, at) => ({
      id: `${edge.id}-${String(at)}`,
      path: [section.startPoint, ...(section.bendPoints ?? []), section.endPoint]
        .map((point, step) => `${step === 0 ? "M" : "L"}${String(corner.x + point.x)} ${String(corner.y + point.y)}`)
        .join(""),
    }));
  });
  return { width: laid.width ?? 0, height: laid.height ?? 0, boxes, lines };
}

export const timeOf = (item: ModelItem, gpu: boolean): number => (gpu ? item.sums.gpu_ns : item.sums.cpu_ns);

export interface Most {
  group: number;
  node: number;
}

// The most that a closed group and a node took: what full colour means. Nodes beside groups would all be pale.
export function mostOf(answer: ModelAnswer, gpu: boolean): Most {
  const most = (group: boolean) => Math.max(0, ...answer.items.filter((item) => !item.open && item.group === group).map((item) => timeOf(item, gpu)));
  return { group: most(true), node: most(false) };
}

export const HEATS = 5;

// The class of a box: what it is filled with.
export function fillOf(item: ModelItem, colour: Colour, all: Most, gpu: boolean): string {
  if (colour === "tc") return `tc-${item.tensor_cores ?? "none"}`;
  if (colour === "limiter") return `limit-${item.limiter ?? "none"}`;
  const time = timeOf(item, gpu);
  const most = item.group ? all.group : all.node;
  if (item.sums.matched === 0) return "heat-none";
  return `heat-${String(most > 0 ? Math.min(HEATS, Math.ceil((HEATS * time) / most)) : 0)}`;
}

export const LEGENDS: Record<Colour, readonly (readonly [string, string])[]> = {
  time: [
    ["heat-none", "not matched"],
    ["heat-0", "no time"],
    ["heat-1", "little"],
    ["heat-3", "more"],
    ["heat-5", "most of a node, or of a group"],
  ],
  tc: [
    ["tc-using", "uses Tensor Cores"],
    ["tc-eligible", "eligible, does not use them"],
    ["tc-not_eligible", "not eligible"],
    ["tc-unknown", "unknown"],
    ["tc-none", "no kernel"],
  ],
  limiter: [
    ["limit-math", "bound by math"],
    ["limit-memory", "bound by memory"],
    ["limit-none", "no bound known"],
  ],
};

// Group numbers in the address once `item` is opened or closed: closing takes what is in it along.
export function toggled(answer: ModelAnswer, item: ModelItem): string {
  const open = answer.items.filter((each) => each.open);
  const within = (each: ModelItem | undefined): boolean =>
    each !== undefined && (each.id === item.id || within(open.find((above) => above.id === each.parent)));
  const left = item.open ? open.filter((each) => !within(each)) : [...open, item];
  return left.map((each) => each.id.slice(1)).join(",");
}

// Whether an item lies in a group, however deep, or is it.
export function liesIn(answer: ModelAnswer, id: string | null, group: string): boolean {
  for (let at = id; at !== null; ) {
    if (at === group) return true;
    const here: string = at;
    at = answer.items.find((each) => each.id === here)?.parent ?? null;
  }
  return false;
}

export interface View {
  x: number;
  y: number;
  scale: number;
}
const LEAST_SCALE = 0.05;
const MOST_SCALE = 3;

export function zoomed(view: View, by: number, at: Point): View {
  const scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, view.scale * by));
  const part = scale / view.scale;
  return { scale, x: at.x - (at.x - view.x) * part, y: at.y - (at.y - view.y) * part };
}

// All of it, not larger than life.
export function fitted(drawing: { width: number; height: number }, width: number, height: number): View {
  const scale = Math.max(LEAST_SCALE, Math.min(1, width / Math.max(1, drawing.width), height / Math.max(1, drawing.height)));
  return { scale, x: (width - drawing.width * scale) / 2, y: Math.max(0, (height - drawing.height * scale) / 2) };
}

const READABLE = 0.75; // a scale at which names can still be read

// What is seen first: all of it where that can be read, else its upper end.
export function opening(drawing: { width: number; height: number }, width: number, height: number): View {
  const whole = fitted(drawing, width, height);
  if (whole.scale >= READABLE) return whole;
  return { x: (width - drawing.width * READABLE) / 2, y: 0, scale: READABLE };
}

// The view after a group was opened or closed: the group stays where it was. Null: none was.
export function carried(before: Drawing, after: Drawing, view: View): View | null {
  const was = new Map(before.boxes.map((box) => [box.item.id, box]));
  const pivot = after.boxes.find((box) => (was.get(box.item.id) ?? box).item.open !== box.item.open);
  const old = pivot && was.get(pivot.item.id);
  if (!old) return null;
  const scale = Math.max(view.scale, READABLE);
  const middle = (box: Box) => box.x + box.width / 2;
  return { x: view.x + middle(old) * view.scale - middle(pivot) * scale, y: view.y + old.y * view.scale - pivot.y * scale, scale };
}

// The view with a box in its middle. Null: the box can be seen whole as it is.
export function centred(box: Box, view: View, width: number, height: number): View | null {
  const left = view.x + box.x * view.scale;
  const top = view.y + box.y * view.scale;
  if (left >= 0 && top >= 0 && left + box.width * view.scale <= width && top + box.height * view.scale <= height) return null;
  return { scale: view.scale, x: width / 2 - (box.x + box.width / 2) * view.scale, y: height / 2 - (box.y + box.height / 2) * view.scale };
}
