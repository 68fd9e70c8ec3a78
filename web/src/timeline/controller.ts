// The timeline's state and its frame loop. A frame is drawn only when something changed; the page's components
// read what they show through `subscribe` and `snapshot`.
import { ApiError } from "../api/client";
import type { ColorMode } from "../engine/colors";
import { closedAtFirst, depthAt, keysAround, layoutOf, placeOf, rowAt, type Hosts, type Layout, type Row } from "../engine/layout";
import { levelOf, TileStore } from "../engine/tiles";
import * as viewports from "../engine/viewport";
import { timeAt, type Bounds, type Viewport } from "../engine/viewport";
import { entryAt } from "../engine/window";
import type { CountersAnswer, EventAnswer, Place, TimelineApi, Tracks } from "./api";
import { hoverOf, type Hover } from "./hover";
import { MINIMAP_HEIGHT } from "./minimap";
import { isSame, neighbor, type Direction } from "./neighbors";
import * as paint from "./paint";
import { hiding, themeOf, type Theme } from "./palette";
import { outsideOf } from "../widgets/stretches";
import { bandsOf, type Chosen } from "./chosen";
import { Screen, type Surfaces } from "./screen";
import type { Together } from "./together";

export interface Snapshot {
  layout: Layout;
  closed: ReadonlySet<string>;
  first: number; // rows of the list of heads that are near enough to be seen
  last: number;
  selected: Place | null;
  event: EventAnswer | null;
  together: Together | null;
  problem: string;
  hover: Hover | null;
  range: Bounds | null;
  loading: boolean;
}

const ANIMATION_MS = 180;
const STALE_NS_FACTOR = 2;
const MOST_STEPS_AHEAD = 3;

// Of a program without a framework the ranges that it names tell when it works; elsewhere the calls and ops inside.
function hostTracks(info: Tracks): Tracks["tracks"] {
  const of = (kind: string) => info.tracks.filter((track) => track.kind === kind);
  const spans = (tracks: Tracks["tracks"]) => tracks.reduce((sum, track) => sum + track.spans, 0);
  const [threads, ranges] = [of("thread"), of("annotation")];
  return spans(ranges) > spans(threads) ? ranges : threads;
}

export class Controller {
  readonly bounds: Bounds;
  readonly frames: number[] = []; // how long the last frames took to draw, ms
  view: Viewport;
  scroll = 0;
  private height = 0; // of the tracks
  private layout: Layout;
  private closed: Set<string>;
  selected: Place | null = null;
  event: EventAnswer | null = null;
  together: Together | null = null; // the collective that is drawn across its ranks
  private problem = "";
  missing: { track: number; span: number } | { name: string } | null = null; // asked for by an address, and not there
  hover: Hover | null = null;
  range: Bounds | null = null;
  mode: ColorMode = "kind";
  hidden: ReadonlySet<string> = new Set(); // entries of the legend
  chosen: Chosen | null = null; // the iterations that all numbers are about
  private matches: { text: string; test: (name: string) => boolean } | null = null;
  private theme: Theme | null = null;
  private themeNumber = 0;
  private surfaces: Surfaces | null = null;
  readonly tiles: TileStore;
  readonly overview: TileStore;
  readonly overviewTracks: number[];
  readonly overviewKind: string;
  readonly bandTrack: number | null;
  counters: { data: CountersAnswer; view: Viewport } | null = null;
  private countersAsked = false;
  private readonly screen = new Screen();
  private animation: { from: Viewport; to: Viewport; start: number } | null = null;
  private motion = new Map<string, number>(); // keys that are held, since when
  private asked = 0; // frame that is asked for
  private wanting: AbortController | null = null;
  private drawn = false;
  private steps = Promise.resolve();
  private stepsAhead = 0;
  private listeners = new Set<() => void>();
  private state: Snapshot;
  onView: ((view: Viewport) => void) | null = null;

  constructor(readonly api: TimelineApi, readonly info: Tracks, private readonly hosts: Hosts = new Map()) {
    const end = Math.max(info.end_ns, info.begin_ns + viewports.LEAST_NS);
    this.bounds = { begin: info.begin_ns, end };
    this.view = viewports.clamped({ begin: info.begin_ns, end, width: 1000 }, this.bounds);
    this.closed = closedAtFirst(info.tracks, hosts);
    this.layout = layoutOf(info.tracks, this.closed, hosts);
    const fetch = api.window.bind(api);
    const changed = () => {
      this.publish();
      this.invalidate();
    };
    this.tiles = new TileStore(fetch, changed);
    this.overview = new TileStore(fetch, () => {
      this.screen.forgetShares();
      changed();
    });
    const streams = info.tracks.filter((track) => track.kind === "stream");
    const busiest = (streams.length > 0 ? streams : hostTracks(info)).sort((a, b) => b.spans - a.spans).slice(0, 8);
    this.overviewKind = streams.length > 0 ? "streams" : "threads";
    this.bandTrack = info.tracks.find((track) => track.kind === "iteration")?.id ?? null;
    this.overviewTracks = busiest.map((track) => track.id);
    if (this.bandTrack !== null) this.overviewTracks.push(this.bandTrack);
    this.state = this.makeState();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  };
  snapshot = (): Snapshot => this.state;

  attach(surfaces: Surfaces): () => void {
    this.surfaces = surfaces;
    const resized = new ResizeObserver(() => {
      this.resize();
    });
    resized.observe(surfaces.stage);
    this.resize();
    return () => {
      resized.disconnect();
      cancelAnimationFrame(this.asked);
      this.asked = 0;
      this.surfaces = null;
      this.wanting?.abort();
      this.tiles.close();
      this.overview.close();
    };
  }

  themeChanged(): void {
    this.theme = null;
    this.themeNumber += 1;
    this.invalidate();
  }
  configure(what: Partial<Pick<Controller, "mode" | "chosen" | "hidden" | "together">>): void {
    Object.assign(this, what);
    this.publish();
    this.invalidate();
  }
  setMatches(text: string): void {
    const part = text.toLowerCase();
    this.matches = part ? { text: part, test: (name) => name.toLowerCase().includes(part) } : null;
    this.invalidate();
  }

  // Moves to a window; `smooth` where a person would else lose the place.
  show(view: Viewport, smooth = false): void {
    const to = viewports.clamped({ ...view, width: this.view.width }, this.bounds);
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.animation = smooth && !still && this.surfaces ? { from: this.view, to, start: performance.now() } : null;
    if (!this.animation) this.view = to;
    this.onView?.(to);
    this.invalidate();
  }
  get target(): Viewport {
    return this.animation?.to ?? this.view;
  }
  zoom(factor: number, x = this.view.width / 2, smooth = false): void {
    this.show(viewports.zoomed(this.target, factor, x, this.bounds), smooth);
  }
  pan(pixels: number): void {
    this.show(viewports.panned(this.view, pixels, this.bounds));
  }
  fit(): void {
    this.show({ begin: this.bounds.begin, end: this.bounds.end, width: this.view.width }, true);
  }
  scrollBy(pixels: number): void {
    this.scrollTo(this.scroll + pixels);
  }
  scrollTo(scroll: number): void {
    const next = Math.max(0, Math.min(scroll, this.layout.height - this.height));
    if (next === this.scroll) return;
    this.scroll = next;
    const { first, last } = this.nearRows();
    if (first !== this.state.first || last !== this.state.last) this.publish();
    this.invalidate();
  }
  get scrollable(): boolean {
    return this.layout.height > this.height + 1;
  }

  toggle(key: string): void {
    if (!this.closed.delete(key)) this.closed.add(key);
    this.relayout();
  }
  private relayout(): void {
    this.layout = layoutOf(this.info.tracks, this.closed, this.hosts);
    this.scroll = Math.max(0, Math.min(this.scroll, this.layout.height - this.height));
    this.publish();
    this.invalidate();
  }

  // The entry under a point of the stage; null: none.
  hit(x: number, y: number): Hover | null {
    const top = y - paint.RULER_HEIGHT + this.scroll;
    const row = this.layout.rows[rowAt(this.layout, top)];
    if (!row || y < paint.RULER_HEIGHT) return null;
    const depth = depthAt(row, top);
    if (depth < 0) return null;
    const time = timeAt(this.view, x);
    for (const track of row.tracks) {
      for (const piece of this.tiles.pieces(track.id, this.level, this.view.begin, this.view.end)) {
        if (time < piece.from || time >= piece.to) continue;
        const slack = 2.5 * viewports.nsPerPixel(this.view);
        const found = entryAt(piece.tile.entries, depth, time - piece.tile.begin, slack);
        if (found >= 0) return hoverOf(piece.tile, found, this.info.kinds, x, y);
      }
    }
    return null;
  }
  setHover(hover: Hover | null): void {
    if (!hover && !this.hover) return;
    this.hover = hover;
    this.publish();
    this.invalidate();
  }
  setRange(range: Bounds | null): void {
    this.range = range;
    this.publish();
    this.invalidate();
  }

  // Selects an event by its number; the details come with the server's answer. The latest selection wins.
  select(place: Place | null, reveal = false): void {
    this.wanting?.abort();
    this.selected = place;
    this.problem = "";
    if (!place || place.track === null || this.event?.event.span !== place.span || this.event.event.track !== place.track) {
      this.event = null;
    }
    if (place && place.track !== null) {
      if (reveal) this.reveal(place);
      void this.load(place.track, place.span, reveal);
    }
    this.publish();
    this.invalidate();
  }
  // An event of which only the number is known, as in an address; zooms to it unless a window is given.
  async open(track: number, span: number, zoomTo: boolean): Promise<void> {
    this.selected = { track, span, name: "", kind: "", begin_ns: this.view.begin, dur_ns: 0, depth: 0 };
    await this.load(track, span, true, zoomTo);
  }
  private async load(track: number, span: number, reveal: boolean, zoomTo = false): Promise<void> {
    this.wanting?.abort();
    const abort = new AbortController();
    this.wanting = abort;
    try {
      const answer = await this.api.event(track, span, abort.signal);
      if (abort.signal.aborted) return;
      this.event = answer;
      this.selected = answer.event;
      if (zoomTo) this.show(viewports.around(this.view, answer.event.begin_ns, answer.event.dur_ns, this.bounds));
      if (reveal) this.reveal(answer.event);
    } catch (problem) {
      if (abort.signal.aborted) return;
      if (problem instanceof ApiError && problem.status === 404) this.missing = { track, span };
      else this.problem = problem instanceof ApiError ? problem.message : "The details could not be read.";
      if (!this.selected?.name) this.selected = null;
    }
    this.publish();
    this.invalidate();
  }
  zoomToSelected(): void {
    if (!this.selected) return;
    this.show(viewports.around(this.view, this.selected.begin_ns, this.selected.dur_ns, this.bounds), true);
  }
  // Brings a place into sight: opens its rows, scrolls to it, moves in time.
  private reveal(place: Place): void {
    if (place.track === null) return;
    const keys = keysAround(this.info.tracks, place.track, this.hosts);
    const own = `track ${String(place.track)}`;
    const wanted = keys.filter((key) => this.closed.has(key) && (key !== own || place.depth > 0));
    for (const key of wanted) this.closed.delete(key);
    if (wanted.length > 0) this.relayout();
    const found = placeOf(this.layout, place.track, place.depth);
    if (found && (found.y < this.scroll + 20 || found.y > this.scroll + this.height - 20)) this.scrollTo(found.y - this.height / 2);
    const next = viewports.revealing(this.target, place.begin_ns, place.dur_ns, this.bounds);
    if (next !== this.target) this.show(next, true);
  }
  // Opens the rows of a rank, below each other, and scrolls to the first.
  showRank(rank: number): void {
    const track = this.info.tracks.find((each) => each.rank === rank);
    if (!track) return;
    const around = keysAround(this.info.tracks, track.id, this.hosts);
    for (const key of around) if (key.startsWith("rank ") || key.startsWith("host ")) this.closed.delete(key);
    this.relayout();
    const row = this.layout.rows.find((each) => each.key === `rank ${String(rank)}`);
    if (row) this.scrollTo(row.y);
  }
  // The next event in a direction: before and after in its row, its caller, its first call. Steps are taken one
  // after the other; of a key that repeats faster than that, some are left out.
  step(direction: Direction): Promise<void> {
    if (this.stepsAhead >= MOST_STEPS_AHEAD) return this.steps;
    this.stepsAhead += 1;
    this.steps = this.steps
      .then(() => this.takeStep(direction))
      .catch(() => {
        this.problem = "The next event could not be read.";
        this.publish();
      })
      .finally(() => {
        this.stepsAhead -= 1;
      });
    return this.steps;
  }
  private async takeStep(direction: Direction): Promise<void> {
    const from = this.selected;
    const place = from ? await neighbor(this.api, this.info, from, direction, this.view, this.bounds) : this.firstShown();
    if (place && isSame(from, this.selected)) this.select(place, true);
  }
  private firstShown(): Place | null {
    for (const row of paint.visibleRows(this.layout, this.scroll, this.height)) {
      const track = row.type === "track" && row.depths > 0 ? row.tracks[0] : undefined;
      if (!track) continue;
      for (const piece of this.tiles.pieces(track.id, this.level, this.view.begin, this.view.end)) {
        const i = entryAt(piece.tile.entries, 0, piece.from - piece.tile.begin, piece.to - piece.from);
        if (i >= 0) return hoverOf(piece.tile, i, this.info.kinds, 0, 0);
      }
    }
    return null;
  }

  // Keys that move as long as they are held.
  hold(key: string): void {
    if (this.motion.has(key)) return;
    this.motion.set(key, performance.now());
    this.animation = null;
    this.invalidate();
  }
  release(key: string): void {
    this.motion.delete(key);
  }
  releaseKeys(): void {
    this.motion.clear();
  }
  private move(now: number): void {
    for (const [key, since] of this.motion) {
      const speed = Math.min(0.4 + (now - since) / 700, 1.6);
      if (key === "w") this.zoom(1 - 0.035 * speed);
      else if (key === "s") this.zoom(1 + 0.038 * speed);
      else if (key === "a") this.pan(-16 * speed);
      else if (key === "d") this.pan(16 * speed);
    }
  }

  get level(): number {
    return levelOf(viewports.nsPerPixel(this.view));
  }
  // Rows in sight, and a few on either side.
  private nearRows(): { first: number; last: number } {
    const { rows } = this.layout;
    const first = rows.findIndex((row) => row.y + row.height > this.scroll - 400);
    let last = Math.max(first, 0);
    while (last < rows.length && (rows[last]?.y ?? 0) < this.scroll + this.height + 400) last += 1;
    return { first: Math.max(first - (first % 4), 0), last: Math.min(last + ((4 - (last % 4)) % 4), rows.length) };
  }
  private makeState(): Snapshot {
    const { layout, closed, selected, event, together, hover, range } = this;
    const failed = this.tiles.problem ?? this.overview.problem;
    const message = failed instanceof Error ? failed.message : failed ? "The timeline could not be read." : "";
    const loading = this.tiles.loading || this.overview.loading;
    return { layout, closed, ...this.nearRows(), selected, event, together, problem: message || this.problem, hover, range, loading };
  }
  private publish(): void {
    this.state = this.makeState();
    for (const listener of this.listeners) listener();
  }

  private resize(): void {
    const stage = this.surfaces?.stage;
    if (!stage || stage.clientWidth === 0) return;
    const { begin, end } = this.target;
    this.animation = null;
    this.height = Math.max(stage.clientHeight - MINIMAP_HEIGHT - paint.RULER_HEIGHT, 0);
    this.view = { begin, end, width: stage.clientWidth };
    this.screen.forgetShares();
    this.scrollTo(this.scroll);
    this.publish();
    this.invalidate();
  }
  invalidate(): void {
    if (this.asked === 0 && this.surfaces) this.asked = requestAnimationFrame(this.frame);
  }

  private frame = (now: number): void => {
    this.asked = 0;
    const { surfaces } = this;
    if (!surfaces || this.height <= 0) return;
    const start = performance.now();
    if (this.animation) {
      const part = Math.min((now - this.animation.start) / ANIMATION_MS, 1);
      this.view = viewports.between(this.animation.from, this.animation.to, Math.max(part, 0));
      if (part >= 1) this.animation = null;
    }
    this.move(now);
    this.theme ??= themeOf(surfaces.stage, this.info.kinds);
    const complete = this.want();
    this.screen.draw(surfaces, this.scene(this.theme), this);
    if (complete && !this.drawn) {
      this.drawn = true;
      performance.mark("timeline-drawn"); // the first picture that lacks nothing, for measurements
    }
    this.frames.push(performance.now() - start);
    if (this.frames.length > 600) this.frames.shift();
    if (this.animation || this.motion.size > 0) this.invalidate();
  };

  private scene(theme: Theme): paint.Scene {
    const coloring = { mode: this.mode, palette: hiding(theme.palette, this.info.kinds, this.hidden), kinds: this.info.kinds, matches: this.matches?.test ?? null };
    return {
      view: this.view,
      scroll: this.scroll,
      height: this.height,
      layout: this.layout,
      tiles: this.tiles,
      level: this.level,
      theme,
      coloring,
      colorKey: `${String(this.themeNumber)} ${this.mode} ${[...this.hidden].join()} ${this.matches?.text ?? ""}`,
      dpr: Math.min(window.devicePixelRatio || 1, 3),
      bands: bandsOf(this),
      outside: outsideOf(this.chosen?.stretches ?? [], this.view),
    };
  }

  // Asks for what the picture lacks; true where it lacks nothing.
  private want(): boolean {
    const { view } = this;
    const rows = paint.visibleRows(this.layout, this.scroll, this.height, 120);
    const tracks = rows.flatMap((row) => row.tracks.filter((track) => track.kind !== "counter").map((track) => track.id));
    if (this.bandTrack !== null && !tracks.includes(this.bandTrack)) tracks.push(this.bandTrack);
    this.overview.want(this.overviewTracks, this.overviewLevel, this.bounds.begin, this.bounds.end);
    const unique = [...new Set(tracks)];
    if (this.tiles.problem && !this.animation && this.motion.size === 0) return false;
    const complete = this.tiles.want(unique, this.level, view.begin, view.end);
    if (complete && !this.animation && this.motion.size === 0) {
      const more = (view.end - view.begin) / 2;
      this.tiles.want(unique, this.level, Math.max(view.begin - more, this.bounds.begin), Math.min(view.end + more, this.bounds.end));
    }
    this.wantCounters(rows);
    return complete;
  }
  retry(): void {
    this.tiles.forgetProblem();
    this.overview.forgetProblem();
    this.problem = "";
    this.publish();
    this.invalidate();
  }
  get overviewLevel(): number {
    return Math.ceil(levelOf((this.bounds.end - this.bounds.begin) / Math.max(this.view.width, 1)));
  }
  private wantCounters(rows: Row[]): void {
    const tracks = rows.flatMap((row) => row.tracks.filter((track) => track.kind === "counter").map((track) => track.id));
    if (tracks.length === 0 || this.countersAsked || this.animation) return;
    const known = this.counters;
    const { begin, end, width } = this.view;
    const length = end - begin;
    if (known) {
      const covers = known.view.begin <= begin && known.view.end >= end && tracks.every((id) => known.data.tracks.some((t) => t.id === id));
      const fine = (known.view.end - known.view.begin) / 3 < length * STALE_NS_FACTOR;
      if (covers && fine) return;
    }
    const wide = { begin: begin - length, end: end + length, width };
    this.countersAsked = true;
    this.api
      .counters(tracks, wide.begin, wide.end, Math.min(Math.ceil(width * 3), 8000))
      .then((data) => {
        this.counters = { data, view: wide };
        this.countersAsked = false;
        this.invalidate();
      })
      .catch(() => {
        // Said where it can be tried again; another window asks anew.
        this.problem = "The counters could not be read.";
        this.publish();
      });
  }
}
