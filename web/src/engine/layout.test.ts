import { describe, expect, it } from "vitest";
import { closedAtFirst, DEPTH_HEIGHT, depthAt, keysAround, layoutOf, placeOf, rowAt, type Track } from "./layout";

let next = 0;
function track(kind: Track["kind"], more: Partial<Track> = {}): Track {
  next += 1;
  return {
    id: next,
    kind,
    rank: 0,
    process: 100,
    process_name: "python",
    thread: next,
    device: null,
    device_name: "",
    context: null,
    stream: null,
    name: `${kind} ${String(next)}`,
    unit: "",
    series: [],
    spans: 5,
    depths: 3,
    ...more,
  };
}

const tracks = (): Track[] => {
  next = 0;
  return [
    track("iteration", { depths: 1 }), // 1
    track("thread"), // 2
    track("python", { depths: 20 }), // 3
    track("stream", { device: 0, device_name: "A100", depths: 1 }), // 4
    track("counter", { depths: 0 }), // 5
    track("thread", { rank: 1 }), // 6
  ];
};

describe("layoutOf", () => {
  it("puts ranks, processes and devices around their tracks", () => {
    const rows = layoutOf(tracks(), new Set()).rows.map((row) => `${"  ".repeat(row.level)}${row.title}`);
    expect(rows).toEqual([
      "Rank 0",
      "  iteration 1",
      "  python",
      "    thread 2",
      "    python 3",
      "  Device 0",
      "    stream 4",
      "  Counters",
      "    counter 5",
      "Rank 1",
      "  python",
      "    thread 6",
    ]);
  });

  it("puts ranks in the order of their numbers", () => {
    next = 0;
    const rows = layoutOf([track("thread", { rank: 1 }), track("thread")], new Set()).rows.map((row) => row.title);
    expect(rows.filter((title) => title.startsWith("Rank"))).toEqual(["Rank 0", "Rank 1"]);
  });

  it("leaves ranks out where there is one", () => {
    const rows = layoutOf(tracks().slice(0, 4), new Set()).rows.map((row) => `${"  ".repeat(row.level)}${row.title}`);
    expect(rows).toEqual(["iteration 1", "python", "  thread 2", "  python 3", "Device 0", "  stream 4"]);
  });

  it("puts rows under each other without gaps", () => {
    const { rows, height } = layoutOf(tracks(), new Set(["track 3"]));
    let y = 0;
    for (const row of rows) {
      expect(row.y).toBe(y);
      y += row.height;
    }
    expect(height).toBe(y);
  });

  it("shows the streams of a closed group in one line, and of a closed track its first depth", () => {
    const list = tracks();
    const { rows } = layoutOf(list, new Set(["rank 1", "0 device 0", "track 2"]));
    const device = rows.find((row) => row.title === "Device 0");
    expect(device?.tracks.map((each) => each.id)).toEqual([4]);
    expect(device?.depths).toBe(1);
    expect(rows.some((row) => row.title === "stream 4")).toBe(false);
    expect(rows.find((row) => row.title === "thread 2")?.depths).toBe(1);
    expect(rows.find((row) => row.title === "Rank 1")?.tracks.map((each) => each.id)).toEqual([6]);
  });

  it("begins with Python functions and the other ranks closed", () => {
    expect([...closedAtFirst(tracks())].sort()).toEqual(["rank 1", "track 3"]);
  });
});

describe("hit testing of rows", () => {
  const layout = layoutOf(tracks(), new Set());
  it("finds the row and depth at every height", () => {
    layout.rows.forEach((row, i) => {
      expect(rowAt(layout, row.y)).toBe(i);
      expect(rowAt(layout, row.y + row.height - 0.5)).toBe(i);
      for (let depth = 0; depth < row.depths; depth += 1) {
        expect(depthAt(row, row.y + row.top + depth * DEPTH_HEIGHT)).toBe(depth);
        expect(depthAt(row, row.y + row.top + depth * DEPTH_HEIGHT + DEPTH_HEIGHT - 0.5)).toBe(depth);
      }
      expect(depthAt(row, row.y + row.top + row.depths * DEPTH_HEIGHT)).toBe(-1);
    });
    expect(rowAt(layout, layout.height)).toBe(-1);
    expect(rowAt(layout, -1)).toBe(-1);
  });

  it("knows where an event lies, and what to open for it", () => {
    const thread = layout.rows.find((row) => row.title === "thread 2");
    expect(placeOf(layout, 2, 1)).toEqual({ row: thread, y: (thread?.y ?? 0) + (thread?.top ?? 0) + 1.5 * DEPTH_HEIGHT, hidden: false });
    const closed = layoutOf(tracks(), new Set(["0 process 100", "rank 1"]));
    expect(placeOf(closed, 6, 0)?.row.title).toBe("Rank 1");
    expect(placeOf(closed, 6, 1)?.hidden).toBe(true);
    expect(placeOf(closed, 2, 0)?.row.title).toBe("python");
    expect(placeOf(closed, 3, 0)).toBeNull(); // a closed group shows no Python functions
    expect(keysAround(tracks(), 6)).toEqual(["1 process 100", "rank 1", "track 6"]);
  });
});

describe("ranks of several hosts", () => {
  const track = (id: number, rank: number): Track => ({
    id,
    kind: "thread",
    rank,
    process: 1,
    process_name: "",
    thread: 1,
    device: null,
    device_name: "",
    context: null,
    stream: null,
    name: "thread 1",
    unit: "",
    series: [],
    spans: 1,
    depths: 1,
  });
  const tracks = [track(1, 0), track(2, 1), track(3, 2)];
  const hosts = new Map([
    [0, "a"],
    [1, "b"],
    [2, "a"],
  ]);

  it("stand under their host, which can be closed", () => {
    const open = layoutOf(tracks, new Set(), hosts);
    expect(open.rows.filter((row) => row.type === "group" && row.level < 2).map((row) => row.title)).toEqual(["a", "Rank 0", "Rank 2", "b", "Rank 1"]);
    const closed = layoutOf(tracks, new Set(["host a"]), hosts);
    expect(closed.rows.filter((row) => row.type === "group" && row.level < 2).map((row) => row.title)).toEqual(["a", "b", "Rank 1"]);
    expect(closed.rows[0]?.tracks.map((each) => each.id)).toEqual([1, 3]);
  });
  it("have no host's row where there is one host only", () => {
    const one = layoutOf(tracks, new Set(), new Map([[0, "a"], [1, "a"], [2, "a"]]));
    expect(one.rows[0]?.title).toBe("Rank 0");
  });
  it("begin closed but for the first, on each host", () => {
    expect([...closedAtFirst(tracks, hosts)].sort()).toEqual(["rank 1", "rank 2"]);
  });
  it("are opened with their host to show an event", () => {
    expect(keysAround(tracks, 2, hosts)).toEqual(expect.arrayContaining(["host b", "rank 1"]));
  });
});
