import { describe, expect, it } from "vitest";
import { windowOf, type PlainSpan } from "./fake";
import { levelOf, TILE_PIXELS, tileNs, tilesOf, TileStore, type FetchWindow } from "./tiles";
import { entryAt } from "./window";

const SPANS = new Map<number, PlainSpan[]>([
  [
    1,
    [
      { begin: 0, dur: 3000, depth: 0, name: "outer", span: 1 },
      { begin: 100, dur: 50, depth: 1, name: "a", span: 2 },
      { begin: 700, dur: 50, depth: 1, name: "b", span: 3 },
      { begin: 2500, dur: 400, depth: 1, name: "c", span: 4 },
    ],
  ],
  [2, [{ begin: 900, dur: 300, depth: 0, name: "kernel", span: 9 }]],
]);

interface Asked {
  tracks: number[];
  begin: number;
  end: number;
  signal: AbortSignal;
  answer: () => void;
  fail: (problem: Error) => void;
}

// A server that answers when it is told to.
function server(): { fetch: FetchWindow; asked: Asked[] } {
  const asked: Asked[] = [];
  return {
    asked,
    fetch: (tracks, begin, end, width, signal) =>
      new Promise((resolve, reject) => {
        const chosen = new Map([...SPANS].filter(([track]) => tracks.includes(track)));
        asked.push({
          tracks,
          begin,
          end,
          signal,
          answer: () => {
            resolve(windowOf(chosen, begin, end, width));
          },
          fail: reject,
        });
      }),
  };
}
const settle = () => new Promise((resolve) => setTimeout(resolve));

describe("levels and tiles", () => {
  it("takes the power of two that is nearest to the zoom", () => {
    expect(levelOf(1)).toBe(0);
    expect(levelOf(0.2)).toBe(0);
    expect(levelOf(8)).toBe(3);
    expect(levelOf(11)).toBe(3);
    expect(levelOf(12)).toBe(4);
  });
  it("covers a window without a gap", () => {
    const length = tileNs(2);
    expect(length).toBe(4 * TILE_PIXELS);
    expect(tilesOf(2, 0, length)).toEqual([0, 0]);
    expect(tilesOf(2, 1, length + 1)).toEqual([0, 1]);
    expect(tilesOf(2, -1, 5)).toEqual([-1, 0]);
    expect(tilesOf(2, length, length)).toEqual([1, 1]);
  });
});

describe("TileStore", () => {
  it("asks once for what is missing, for all tracks of a tile at once", async () => {
    const { fetch, asked } = server();
    let changes = 0;
    const store = new TileStore(fetch, () => (changes += 1));
    expect(store.want([1, 2], 0, 0, 1000)).toBe(false);
    expect(store.want([1, 2], 0, 0, 1000)).toBe(false);
    expect(asked.map((each) => [each.tracks, each.begin, each.end])).toEqual([
      [[1, 2], 0, 512],
      [[1, 2], 512, 1024],
    ]);
    asked.forEach((each) => {
      each.answer();
    });
    await settle();
    expect(changes).toBe(2);
    expect(store.want([1, 2], 0, 0, 1000)).toBe(true);
    expect(asked).toHaveLength(2);
    // A new track asks for itself alone.
    store.want([1, 2, 3], 0, 0, 500);
    expect(asked[2]?.tracks).toEqual([3]);
  });

  it("gives a tile of no entries for a track without any, and does not ask again", async () => {
    const { fetch, asked } = server();
    const store = new TileStore(fetch, () => undefined);
    store.want([7], 0, 0, 100);
    asked[0]?.answer();
    await settle();
    expect(store.want([7], 0, 0, 100)).toBe(true);
    expect(store.get(7, 0, 0)?.entries.begin).toHaveLength(0);
  });

  it("draws from a coarser level while the finer one is on its way, and from finer ones when zooming out", async () => {
    const { fetch, asked } = server();
    const store = new TileStore(fetch, () => undefined);
    store.want([1], 3, 0, 4000);
    asked[0]?.answer();
    await settle();
    const coarse = store.pieces(1, 0, 600, 900);
    expect(coarse.map((piece) => [piece.tile.level, piece.from, piece.to])).toEqual([[3, 600, 900]]);
    store.want([1], 0, 600, 900);
    expect(asked[1]?.begin).toBe(512);
    asked[1]?.answer();
    await settle();
    expect(store.pieces(1, 0, 600, 900).map((piece) => piece.tile.level)).toEqual([0]);
    const finer = new TileStore(fetch, () => undefined);
    finer.want([1], 0, 0, 1024);
    asked.slice(2).forEach((each) => {
      each.answer();
    });
    await settle();
    expect(finer.pieces(1, 1, 0, 1024).map((piece) => [piece.tile.level, piece.from, piece.to])).toEqual([
      [0, 0, 512],
      [0, 512, 1024],
    ]);
  });

  it("lets go of requests for what is no longer shown", () => {
    const { fetch, asked } = server();
    const store = new TileStore(fetch, () => undefined);
    store.want([1], 0, 0, 100);
    store.want([1], 5, 0, 100);
    expect(asked[0]?.signal.aborted).toBe(true);
    expect(asked[1]?.signal.aborted).toBe(false);
    store.close();
    expect(asked[1]?.signal.aborted).toBe(true);
  });

  it("tells of a failure until an answer comes", async () => {
    const { fetch, asked } = server();
    const store = new TileStore(fetch, () => undefined);
    store.want([1], 0, 0, 100);
    asked[0]?.fail(new Error("gone"));
    await settle();
    expect(store.problem).toEqual(new Error("gone"));
    expect(store.loading).toBe(false);
    store.want([1], 0, 0, 100);
    asked[1]?.answer();
    await settle();
    expect(store.problem).toBeNull();
  });

  it("forgets what was drawn longest ago", async () => {
    const many = (begin: number): PlainSpan[] =>
      Array.from({ length: 100 }, (_, i) => ({ begin: begin + i, dur: 1, depth: 0, name: "x", span: i }));
    const store = new TileStore(
      (tracks, begin, end, width) => Promise.resolve(windowOf(new Map(tracks.map((track) => [track, many(begin)])), begin, end, width)),
      () => undefined,
      5000,
    );
    const tracks = Array.from({ length: 5 }, (_, i) => i);
    for (let index = 0; index < 12; index += 1) {
      store.want(tracks, 0, index * 512, index * 512 + 512);
      await settle();
      store.pieces(0, 0, 0, 512);
    }
    expect(store.size).toBeLessThanOrEqual(5000);
    expect(store.get(0, 0, 0)).toBeDefined();
    expect(store.get(1, 0, 0)).toBeUndefined();
    expect(store.get(1, 0, 11)).toBeDefined();
  });
});

describe("entryAt", () => {
  const window = windowOf(SPANS, 50, 50 + 4096, 4096);
  const entries = window.tracks.get(1);
  if (!entries) throw new Error("no track");
  const nameAt = (depth: number, time: number, slack = 0) => {
    const i = entryAt(entries, depth, time - 50, slack);
    return i < 0 ? null : window.names[entries.name[i] ?? -1];
  };
  it("finds the span that covers a time, also one that began before the window", () => {
    expect(nameAt(0, 60)).toBe("outer");
    expect(nameAt(1, 100)).toBe("a");
    expect(nameAt(1, 149)).toBe("a");
    expect(nameAt(1, 150)).toBeNull();
    expect(nameAt(1, 2899)).toBe("c");
    expect(nameAt(2, 100)).toBeNull();
  });
  it("takes the nearest one within reach", () => {
    expect(nameAt(1, 160, 20)).toBe("a");
    expect(nameAt(1, 690, 20)).toBe("b");
    expect(nameAt(1, 690, 5)).toBeNull();
    expect(nameAt(1, 3100, 1000)).toBe("c");
  });
});
