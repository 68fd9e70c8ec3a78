// The canvases of the timeline, and what they need from one frame to the next.
import type { Surface } from "../engine/raster";
import type { TileStore } from "../engine/tiles";
import type { Bounds } from "../engine/viewport";
import type { CountersAnswer, EventAnswer, Place } from "./api";
import type { Chosen } from "./chosen";
import { busyShares, MINIMAP_HEIGHT, paintMinimap } from "./minimap";
import * as paint from "./paint";
import { paintTogether } from "./paintTogether";
import type { Together } from "./together";

export interface Surfaces {
  stage: HTMLElement;
  bars: HTMLCanvasElement;
  over: HTMLCanvasElement;
  minimap: HTMLCanvasElement;
  heads: HTMLElement;
  shown: HTMLElement; // says how much time is shown
}

// What is drawn over the bars, and the whole run.
export interface Shown {
  bounds: Bounds;
  overview: TileStore;
  overviewLevel: number;
  overviewTracks: readonly number[];
  bandTrack: number | null;
  chosen: Chosen | null;
  counters: { data: CountersAnswer } | null;
  range: Bounds | null;
  hover: Place | null;
  selected: Place | null;
  event: EventAnswer | null;
  together: Together | null;
}

export class Screen {
  private surface: { image: ImageData; surface: Surface } | null = null;
  private shares: { width: number; values: Float32Array } | null = null;
  private readonly labels = new paint.Labels();

  forgetShares(): void {
    this.shares = null;
  }

  draw(surfaces: Surfaces, scene: paint.Scene, shown: Shown): void {
    this.drawBars(surfaces.bars, scene);
    this.drawOver(surfaces.over, scene, shown);
    this.drawMinimap(surfaces.minimap, scene, shown);
    surfaces.heads.style.transform = `translateY(${String(MINIMAP_HEIGHT + paint.RULER_HEIGHT - scene.scroll)}px)`;
    surfaces.shown.textContent = paint.lengthText(scene.view);
  }

  private drawBars(canvas: HTMLCanvasElement, scene: paint.Scene): void {
    const width = Math.round(scene.view.width * scene.dpr);
    const height = Math.round(scene.height * scene.dpr);
    if (this.surface?.image.width !== width || this.surface.image.height !== height) {
      canvas.width = width;
      canvas.height = height;
      canvas.style.width = `${String(scene.view.width)}px`;
      canvas.style.height = `${String(scene.height)}px`;
      const image = new ImageData(width, height);
      this.surface = { image, surface: { pixels: new Uint32Array(image.data.buffer), width, height } };
    }
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) return;
    paint.paintBars(this.surface.surface, scene);
    context.putImageData(this.surface.image, 0, 0);
  }

  private drawOver(canvas: HTMLCanvasElement, scene: paint.Scene, shown: Shown): void {
    const height = scene.height + paint.RULER_HEIGHT;
    const context = sized(canvas, scene.view.width, height, scene.dpr);
    if (!context) return;
    context.clearRect(0, 0, scene.view.width, height);
    paint.paintLabels(context, scene, this.labels);
    if (shown.counters) paint.paintCounters(context, scene, shown.counters.data);
    if (shown.range) paint.paintRange(context, scene, shown.range);
    if (shown.hover) paint.paintHover(context, scene, shown.hover);
    if (shown.together) paintTogether(context, scene, shown.together);
    if (shown.selected) paint.paintSelection(context, scene, shown.selected, shown.event?.chain ?? []);
    paint.paintRuler(context, scene, shown.range);
  }

  private drawMinimap(canvas: HTMLCanvasElement, scene: paint.Scene, shown: Shown): void {
    const { view, theme } = scene;
    const context = sized(canvas, view.width, MINIMAP_HEIGHT, scene.dpr);
    if (!context) return;
    const whole = { ...shown.bounds, width: view.width };
    const { overview, overviewLevel: level, bandTrack } = shown;
    if (this.shares?.width !== view.width) {
      const tracks = shown.overviewTracks.filter((id) => id !== bandTrack);
      this.shares = { width: view.width, values: busyShares(overview, tracks, level, whole) };
    }
    const marks: number[] = shown.chosen?.iterations.map((each) => each.begin) ?? [];
    for (const piece of shown.chosen !== null || bandTrack === null ? [] : overview.pieces(bandTrack, level, whole.begin, whole.end)) {
      for (const begin of piece.tile.entries.begin) if (begin >= 0) marks.push(piece.tile.begin + begin);
    }
    paintMinimap(context, theme, this.shares.values, marks, whole, view);
  }
}

// The context of a canvas of a size in CSS pixels, which is changed only where it must.
function sized(canvas: HTMLCanvasElement, width: number, height: number, dpr: number): CanvasRenderingContext2D | null {
  const wide = Math.round(width * dpr);
  const high = Math.round(height * dpr);
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.width = `${String(width)}px`;
    canvas.style.height = `${String(height)}px`;
  }
  const context = canvas.getContext("2d");
  context?.setTransform(dpr, 0, 0, dpr, 0, 0);
  return context;
}
