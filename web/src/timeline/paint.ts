// Draws the timeline: bars into pixels, everything else over them.
import { colorsOf, cssColor, inkOn, type Coloring } from "../engine/colors";
import { DEPTH_HEIGHT, placeOf, type Layout, type Row } from "../engine/layout";
import { clear, fillRect, firstShown, paintLine, thicken, type Surface } from "../engine/raster";
import { fittedText } from "../engine/fitted";
import { tickText, ticks } from "../engine/ruler";
import type { Piece, Tile, TileStore } from "../engine/tiles";
import { nsPerPixel, xAt, type Bounds, type Viewport } from "../engine/viewport";
import { formatBytes, formatCount, formatNs } from "../widgets/format";
import type { CountersAnswer, Link, Place } from "./api";
import type { Theme } from "./palette";

export const RULER_HEIGHT = 26;
const BAR_HEIGHT = DEPTH_HEIGHT - 2;
const LEAST_LABEL = 26;

export interface Scene {
  view: Viewport;
  scroll: number;
  height: number; // of the tracks, in CSS pixels
  layout: Layout;
  tiles: TileStore;
  level: number;
  theme: Theme;
  coloring: Coloring;
  colorKey: string;
  dpr: number;
  bands: readonly Band[];
  outside: readonly Bounds[]; // of the chosen range
}

export interface Band {
  begin: number;
  end: number;
  number: number;
}

export function visibleRows(layout: Layout, scroll: number, height: number, margin = 0): Row[] {
  return layout.rows.filter((row) => row.y + row.height > scroll - margin && row.y < scroll + height + margin);
}

export function colorsFor(tile: Tile, coloring: Coloring, key: string): Uint32Array {
  if (tile.paint?.key !== key) tile.paint = { key, colors: colorsOf(tile.entries, tile.names, coloring) };
  return tile.paint.colors;
}

// The bars, as pixels.
export function paintBars(surface: Surface, scene: Scene): void {
  const { view, dpr, theme } = scene;
  const scale = { begin: view.begin, perNs: (view.width * dpr) / (view.end - view.begin) };
  clear(surface, backgroundLine(surface.width, scene, scale));
  for (const row of visibleRows(scene.layout, scene.scroll, scene.height)) {
    const top = Math.round((row.y - scene.scroll) * dpr);
    const bottom = Math.round((row.y + row.height - scene.scroll) * dpr);
    if (row.type === "group") fillRect(surface, 0, top, surface.width, bottom - top, theme.group);
    for (let depth = 0; depth < row.depths; depth += 1) {
      const line = Math.round((row.y + row.top + depth * DEPTH_HEIGHT - scene.scroll) * dpr);
      const lines = Math.min(line + Math.round(BAR_HEIGHT * dpr), surface.height) - Math.max(line, 0);
      if (lines <= 0) continue;
      const y = Math.max(line, 0);
      for (const track of row.tracks) {
        for (const piece of scene.tiles.pieces(track.id, scene.level, view.begin, view.end)) {
          const from = Math.max(Math.round((piece.from - scale.begin) * scale.perNs), 0);
          const to = Math.min(Math.round((piece.to - scale.begin) * scale.perNs), surface.width);
          const colors = colorsFor(piece.tile, scene.coloring, scene.colorKey);
          paintLine(surface, y, piece.tile.entries, colors, depth, piece.tile.begin, scale, from, to);
        }
      }
      thicken(surface, y, lines, 0, surface.width);
    }
    fillRect(surface, 0, bottom - 1, surface.width, 1, theme.group);
  }
}

// Every other iteration a shade darker, and a line at each mark of the ruler.
function backgroundLine(width: number, scene: Scene, scale: { begin: number; perNs: number }): Uint32Array {
  const line = new Uint32Array(width).fill(scene.theme.palette.background);
  for (const band of scene.bands) {
    const from = Math.max(Math.round((band.begin - scale.begin) * scale.perNs), 0);
    const to = Math.min(Math.round((band.end - scale.begin) * scale.perNs), width);
    if (band.number % 2 === 1 && to - from > 2) line.fill(scene.theme.band, from, to);
  }
  for (const { begin, end } of scene.outside) {
    const from = Math.max(Math.round((begin - scale.begin) * scale.perNs), 0);
    const to = Math.min(Math.round((end - scale.begin) * scale.perNs), width);
    if (to > from) line.fill(scene.theme.outside, from, to);
  }
  const { view } = scene;
  for (const tick of ticks(view.begin, view.end, view.width).list) {
    const x = Math.round((tick.time - scale.begin) * scale.perNs);
    if (tick.major && x >= 0 && x < width) line[x] = scene.theme.grid;
  }
  return line;
}

export class Labels {
  private widths = new Map<string, number>();
  width(context: CanvasRenderingContext2D, text: string): number {
    let width = this.widths.get(text);
    if (width === undefined) {
      if (this.widths.size > 20_000) this.widths.clear();
      width = context.measureText(text).width;
      this.widths.set(text, width);
    }
    return width;
  }
  // The name, else the short one, else what of that fits.
  fitted(context: CanvasRenderingContext2D, name: string, short: string, room: number): string {
    const width = (text: string): number => this.width(context, text);
    return width(name) <= room ? name : fittedText(short, room, width);
  }
}

// Names on the bars that have room for them.
export function paintLabels(context: CanvasRenderingContext2D, scene: Scene, labels: Labels): void {
  context.font = `11px ${scene.theme.font}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  const perNs = 1 / nsPerPixel(scene.view);
  for (const row of visibleRows(scene.layout, scene.scroll, scene.height)) {
    if (row.type === "group") continue;
    const track = row.tracks[0];
    if (!track) continue;
    const pieces = scene.tiles.pieces(track.id, scene.level, scene.view.begin, scene.view.end);
    for (let depth = 0; depth < row.depths; depth += 1) {
      const y = RULER_HEIGHT + row.y + row.top + depth * DEPTH_HEIGHT - scene.scroll + BAR_HEIGHT / 2;
      if (y < RULER_HEIGHT || y > RULER_HEIGHT + scene.height + BAR_HEIGHT) continue;
      pieces.forEach((piece, i) => {
        labelPiece(context, scene, labels, piece, depth, y, perNs, i === 0);
      });
    }
  }
}

function labelPiece(
  context: CanvasRenderingContext2D,
  scene: Scene,
  labels: Labels,
  piece: Piece,
  depth: number,
  y: number,
  perNs: number,
  first: boolean,
): void {
  const { entries, names, shortNames, begin: origin } = piece.tile;
  if (depth + 1 >= entries.rows.length) return;
  const colors = colorsFor(piece.tile, scene.coloring, scene.colorKey);
  const least = LEAST_LABEL / perNs;
  const last = entries.rows[depth + 1] ?? 0;
  for (let i = firstShown(entries, depth, piece.from - origin); i < last; i += 1) {
    const dur = entries.dur[i] ?? 0;
    const begin = origin + (entries.begin[i] ?? 0);
    if (begin >= piece.to) break;
    // What began in the piece before has its label there.
    if (dur < least || (begin < piece.from && !first)) continue;
    const x0 = Math.max((begin - scene.view.begin) * perNs, 0);
    const x1 = Math.min((begin + dur - scene.view.begin) * perNs, scene.view.width);
    if (x1 - x0 < LEAST_LABEL) continue;
    const name = entries.name[i] ?? 0;
    const text = labels.fitted(context, names[name] ?? "", shortNames[name] ?? "", x1 - x0 - 9);
    if (!text) continue;
    context.fillStyle = inkOn(colors[i] ?? 0);
    context.fillText(text, x0 + 4, y);
  }
}

export function paintRuler(context: CanvasRenderingContext2D, scene: Scene, range: Bounds | null): void {
  const { view, theme } = scene;
  context.fillStyle = theme.surface;
  context.fillRect(0, 0, view.width, RULER_HEIGHT);
  const marks = ticks(view.begin, view.end, view.width);
  context.font = `11px ${theme.font}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (const tick of marks.list) {
    const x = Math.round(xAt(view, tick.time));
    context.fillStyle = theme.strong;
    context.fillRect(x, tick.major ? 8 : RULER_HEIGHT - 6, 1, tick.major ? RULER_HEIGHT - 8 : 6);
    if (!tick.major) continue;
    context.fillStyle = theme.faint;
    context.fillText(tickText(tick.time, marks.step), x + 4, 12);
  }
  context.fillStyle = theme.strong;
  context.fillRect(0, RULER_HEIGHT - 1, view.width, 1);
  if (!range) return;
  const x0 = Math.max(xAt(view, range.begin), 0);
  const x1 = Math.min(xAt(view, range.end), view.width);
  context.fillStyle = theme.accent;
  context.fillRect(x0, RULER_HEIGHT - 4, x1 - x0, 3);
}

export interface Box {
  x0: number;
  x1: number;
  y: number;
  hidden: boolean;
}

export function boxOf(scene: Scene, place: Place): Box | null {
  if (place.track === null) return null;
  const found = placeOf(scene.layout, place.track, place.depth);
  if (!found) return null;
  const limit = (x: number) => Math.min(Math.max(x, -2000), scene.view.width + 2000);
  const x0 = limit(xAt(scene.view, place.begin_ns));
  const x1 = limit(xAt(scene.view, place.begin_ns + place.dur_ns));
  return { x0, x1: Math.max(x1, x0 + 2), y: RULER_HEIGHT + found.y - scene.scroll - 1, hidden: found.hidden };
}

export function outline(context: CanvasRenderingContext2D, box: Box, color: string, width: number): void {
  context.strokeStyle = color;
  context.lineWidth = width;
  context.strokeRect(box.x0 - width / 2, box.y - BAR_HEIGHT / 2 - width / 2, box.x1 - box.x0 + width, BAR_HEIGHT + width);
}

// The selected event, what it hangs together with, and arrows where that goes from one row to another.
export function paintSelection(context: CanvasRenderingContext2D, scene: Scene, selected: Place, chain: readonly Link[]): void {
  const { theme } = scene;
  const at = new Map<Link, Box>();
  for (const link of chain) {
    const box = boxOf(scene, link);
    if (box && link.role !== "iteration") at.set(link, box);
  }
  for (const [link, box] of at) if (!box.hidden && link.role !== "launched") outline(context, box, theme.text, 1);
  const find = (role: string): Box | undefined => at.get(chain.find((link) => link.role === role) as Link);
  const own = boxOf(scene, selected);
  const call = find("api_call");
  const device = find("kernel") ?? find("device_work");
  if (call && device) arrow(context, call, device, theme.accent);
  if (own) {
    const from = find("forward");
    if (from) arrow(context, from, own, theme.text);
    for (const [link, box] of at) {
      if (link.role === "backward") arrow(context, own, box, theme.text);
      else if (link.role === "launched") arrow(context, own, box, theme.accent);
    }
    if (!own.hidden) outline(context, own, theme.accent, 2.5);
  }
}

// From the end of one box (its begin where the other lies before that) to the begin of another.
function arrow(context: CanvasRenderingContext2D, from: Box, to: Box, color: string): void {
  const x0 = Math.min(from.x1, Math.max(from.x0, to.x0));
  const x1 = to.x0;
  const down = to.y >= from.y ? 1 : -1;
  const y0 = from.y + (down * BAR_HEIGHT) / 2;
  const y1 = to.y - (down * BAR_HEIGHT) / 2;
  const bend = Math.max(Math.abs(y1 - y0) * 0.5, 14) * down;
  context.strokeStyle = color;
  context.fillStyle = color;
  context.lineWidth = 1.6;
  context.beginPath();
  context.moveTo(x0, y0);
  context.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1 - 5 * down);
  context.stroke();
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 - 4, y1 - 7 * down);
  context.lineTo(x1 + 4, y1 - 7 * down);
  context.closePath();
  context.fill();
}

export function paintHover(context: CanvasRenderingContext2D, scene: Scene, place: Place): void {
  const box = boxOf(scene, place);
  if (box) outline(context, box, scene.theme.text, 1.5);
}

// A range of time: what lies outside is dimmed.
export function paintRange(context: CanvasRenderingContext2D, scene: Scene, range: Bounds): void {
  const { view, theme, height } = scene;
  const x0 = Math.min(Math.max(xAt(view, range.begin), 0), view.width);
  const x1 = Math.min(Math.max(xAt(view, range.end), 0), view.width);
  context.fillStyle = theme.surface;
  context.globalAlpha = 0.55;
  context.fillRect(0, RULER_HEIGHT, x0, height);
  context.fillRect(x1, RULER_HEIGHT, view.width - x1, height);
  context.globalAlpha = 1;
  context.fillStyle = theme.accent;
  context.fillRect(x0, RULER_HEIGHT, 1, height);
  context.fillRect(x1 - 1, RULER_HEIGHT, 1, height);
}

// Lines of counters, from 0 to the greatest value that is known.
export function paintCounters(context: CanvasRenderingContext2D, scene: Scene, data: CountersAnswer): void {
  for (const row of visibleRows(scene.layout, scene.scroll, scene.height)) {
    const track = row.tracks[0];
    if (row.type !== "track" || track?.kind !== "counter") continue;
    const samples = data.tracks.find((each) => each.id === track.id);
    if (!samples) continue;
    const greatest = Math.max(...samples.series.map((series) => series.greatest.reduce((a, b) => Math.max(a, b), 0)), 0);
    const bottom = RULER_HEIGHT + row.y + row.height - 4 - scene.scroll;
    const room = row.height - 12;
    const yOf = (value: number) => bottom - (greatest > 0 ? (value / greatest) * room : 0);
    const colors = [cssColor(scene.theme.palette.kinds[0] ?? 0), scene.theme.faint];
    samples.series.forEach((series, i) => {
      context.beginPath();
      let x = 0;
      let y = bottom;
      samples.time.forEach((time, k) => {
        x = xAt(scene.view, data.begin_ns + time);
        if (k === 0) context.moveTo(x, bottom);
        else context.lineTo(x, y);
        context.lineTo(x, yOf(series.greatest[k] ?? 0));
        y = yOf(series.last[k] ?? 0);
        context.lineTo(x, y);
      });
      context.lineTo(scene.view.width, y);
      context.strokeStyle = context.fillStyle = colors[i % 2] ?? scene.theme.text;
      context.lineWidth = 1.3;
      if (samples.series.length === 1 || i === 0) {
        context.save();
        context.globalAlpha = 0.28;
        context.lineTo(scene.view.width, bottom);
        context.fill();
        context.restore();
      } else context.stroke();
    });
    context.font = `11px ${scene.theme.font}`;
    context.textAlign = "right";
    context.textBaseline = "top";
    const text = track.unit === "bytes" ? formatBytes(greatest) : formatCount(greatest);
    const words = `up to ${text}`;
    const top = RULER_HEIGHT + row.y + 4 - scene.scroll;
    // The curve may run here: it must not strike the words through.
    const width = context.measureText(words).width;
    context.fillStyle = scene.theme.surface;
    context.fillRect(scene.view.width - 8 - width, top - 1, width + 4, 13);
    context.fillStyle = scene.theme.faint;
    context.fillText(words, scene.view.width - 6, top);
  }
}

// How much time is shown.
export const lengthText = (view: Viewport): string => `${formatNs(view.end - view.begin)} shown`;
