// Tiles: the timeline in pieces of fixed size, each asked for once. A level is a power of two of ns per pixel; a
// tile has TILE_PIXELS of them and begins at a multiple of its length, so that any window at any zoom is made of
// pieces that can be kept. While one is on its way, what is known of a coarser or finer level stands in.
import type { Entries, TimelineWindow } from "./window";

export const TILE_PIXELS = 512;
const COARSER = 24; // how far up a stand-in is looked for
const MOST_ENTRIES = 2_000_000; // kept; about 80 MB
const MOST_REQUESTS = 4;

export interface Tile {
  track: number;
  level: number;
  index: number;
  begin: number;
  length: number;
  entries: Entries;
  names: readonly string[];
  shortNames: readonly string[];
  used: number; // when last drawn
  paint: { key: string; colors: Uint32Array } | null; // kept by the painter
}

export interface Piece {
  tile: Tile;
  from: number; // what of it to draw, in ns
  to: number;
}

export type FetchWindow = (tracks: number[], begin: number, end: number, width: number, signal: AbortSignal) => Promise<TimelineWindow>;

export const tileNs = (level: number): number => TILE_PIXELS * 2 ** level;
export const levelOf = (nsPerPixel: number): number => Math.max(0, Math.round(Math.log2(Math.max(nsPerPixel, 1))));

// First and last index of the tiles that cover a window.
export function tilesOf(level: number, begin: number, end: number): [number, number] {
  const length = tileNs(level);
  return [Math.floor(begin / length), Math.max(Math.ceil(end / length) - 1, Math.floor(begin / length))];
}

const keyOf = (track: number, level: number, index: number): string => `${String(track)}:${String(level)}:${String(index)}`;

interface Request {
  level: number;
  index: number;
  tracks: Set<number>;
  abort: AbortController;
}

const NO_ENTRIES: Entries = {
  begin: new Float64Array(),
  dur: new Float64Array(),
  busy: new Float64Array(),
  name: new Uint32Array(),
  span: new Uint32Array(),
  count: new Uint32Array(),
  depth: new Uint16Array(),
  kind: new Uint8Array(),
  rows: new Uint32Array(1),
};

export class TileStore {
  private tiles = new Map<string, Tile>();
  private requests = new Set<Request>();
  private entries = 0;
  private clock = 0;
  private failed: unknown = null;

  constructor(
    private readonly fetchWindow: FetchWindow,
    private readonly changed: () => void,
    private readonly most = MOST_ENTRIES,
  ) {}

  get loading(): boolean {
    return this.requests.size > 0;
  }
  get problem(): unknown {
    return this.failed;
  }
  get size(): number {
    return this.entries;
  }

  get(track: number, level: number, index: number): Tile | undefined {
    return this.tiles.get(keyOf(track, level, index));
  }

  // Asks for what a window of some tracks lacks, and gives up on what is no longer wanted. True: all is here.
  want(tracks: readonly number[], level: number, begin: number, end: number): boolean {
    const [first, last] = tilesOf(level, begin, end);
    const shown = new Set(tracks);
    for (const request of this.requests) {
      const wanted = request.level === level && request.index >= first && request.index <= last;
      if (!wanted || ![...request.tracks].some((track) => shown.has(track))) this.drop(request);
    }
    // From the middle outwards: what is looked at comes first.
    const order: number[] = [];
    const middle = (first + last) / 2;
    for (let index = first; index <= last; index += 1) order.push(index);
    order.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
    let complete = true;
    for (const index of order) {
      const missing = tracks.filter((track) => !this.tiles.has(keyOf(track, level, index)));
      if (missing.length === 0) continue;
      complete = false;
      const asked = missing.filter((track) => !this.isAsked(track, level, index));
      if (asked.length > 0 && this.requests.size < MOST_REQUESTS) this.ask(asked, level, index);
    }
    return complete;
  }

  // What to draw of a track between two times, from left to right.
  pieces(track: number, level: number, begin: number, end: number): Piece[] {
    const [first, last] = tilesOf(level, begin, end);
    const length = tileNs(level);
    const out: Piece[] = [];
    for (let index = first; index <= last; index += 1) {
      this.cover(out, track, level, index, Math.max(begin, index * length), Math.min(end, (index + 1) * length));
    }
    return out;
  }

  forgetProblem(): void {
    this.failed = null;
  }

  close(): void {
    for (const request of this.requests) request.abort.abort();
    this.requests.clear();
  }

  private isAsked(track: number, level: number, index: number): boolean {
    for (const request of this.requests) {
      if (request.level === level && request.index === index && request.tracks.has(track)) return true;
    }
    return false;
  }

  private cover(out: Piece[], track: number, level: number, index: number, from: number, to: number): void {
    if (from >= to) return;
    const own = this.tiles.get(keyOf(track, level, index));
    if (own) {
      own.used = this.clock += 1;
      out.push({ tile: own, from, to });
      return;
    }
    for (let up = 1; up <= COARSER; up += 1) {
      const tile = this.tiles.get(keyOf(track, level + up, Math.floor(index / 2 ** up)));
      if (!tile) continue;
      tile.used = this.clock += 1;
      out.push({ tile, from, to });
      return;
    }
    const finer = level - 1;
    const length = tileNs(finer);
    for (const child of [2 * index, 2 * index + 1]) {
      const tile = finer < 0 ? undefined : this.tiles.get(keyOf(track, finer, child));
      if (tile) out.push({ tile, from: Math.max(from, child * length), to: Math.min(to, (child + 1) * length) });
    }
  }

  private drop(request: Request): void {
    this.requests.delete(request);
    request.abort.abort();
  }

  private ask(tracks: number[], level: number, index: number): void {
    const request: Request = { level, index, tracks: new Set(tracks), abort: new AbortController() };
    this.requests.add(request);
    const length = tileNs(level);
    this.fetchWindow(tracks, index * length, (index + 1) * length, TILE_PIXELS, request.abort.signal)
      .then((window) => {
        if (!this.requests.delete(request)) return;
        this.failed = null;
        for (const track of tracks) this.keep(track, level, index, window.tracks.get(track) ?? NO_ENTRIES, window);
        this.evict();
      })
      .catch((problem: unknown) => {
        if (this.requests.delete(request)) this.failed = problem;
      })
      .finally(this.changed);
  }

  private keep(track: number, level: number, index: number, entries: Entries, { names, shortNames }: TimelineWindow): void {
    const length = tileNs(level);
    const used = (this.clock += 1);
    this.tiles.set(keyOf(track, level, index), { track, level, index, begin: index * length, length, entries, names, shortNames, used, paint: null });
    this.entries += entries.begin.length;
  }

  // Lets the tiles go that were drawn longest ago.
  private evict(): void {
    if (this.entries <= this.most) return;
    const byUse = [...this.tiles.entries()].sort((a, b) => a[1].used - b[1].used);
    for (const [key, tile] of byUse) {
      if (this.entries <= this.most * 0.8) break;
      this.tiles.delete(key);
      this.entries -= tile.entries.begin.length;
    }
  }
}
