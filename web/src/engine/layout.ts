// Which rows the timeline has and where: ranks, then processes and devices, then their tracks; each can be closed.
import type { components } from "../api/schema";

type Sent = components["schemas"]["Track"];
export type Track = Omit<Sent, "kind"> & { kind: Sent["kind"] | "path" }; // path: timeline/path.ts makes them

export interface Row {
  key: string;
  type: "group" | "track";
  title: string;
  note: string; // what kind of row, in small
  level: number; // how far in
  open: boolean;
  foldable: boolean;
  y: number;
  height: number;
  depths: number; // that are shown
  top: number; // from y to the first depth
  tracks: readonly Track[]; // the track; of a closed group those whose first depth is shown
}

export interface Layout {
  rows: readonly Row[];
  height: number;
}

export const DEPTH_HEIGHT = 18;
export const GROUP_HEIGHT = 24;
export const COUNTER_HEIGHT = 46;
const PADDING = 3;

interface Group {
  key: string;
  title: string;
  note: string;
  groups: Group[];
  tracks: Track[];
}

const NOTES: Record<string, string> = {
  thread: "calls",
  annotation: "ranges",
  python: "Python",
  os: "system calls",
  stream: "",
  wait: "waits",
  iteration: "",
  path: "",
  counter: "",
  other: "other",
};

function groupOf(list: Group[], key: string, title: string, note: string): Group {
  const known = list.find((group) => group.key === key);
  if (known) return known;
  const group = { key, title, note, groups: [], tracks: [] };
  list.push(group);
  return group;
}

// "thread 2919752 (pt_autograd_0)" as "pt_autograd_0 (2919752)": what tells threads apart comes first.
export function titleOf(track: Track): string {
  const named = /^thread (-?\d+) \((.+)\)$/.exec(track.name);
  return named ? `${named[2] ?? ""} (${named[1] ?? ""})` : track.name;
}

// The host of each rank, as far as it is known.
export type Hosts = ReadonlyMap<number, string>;

// Where the rows of a rank stand: in its own group, and that in the one of its host where there are several.
function rankGroup(root: Group, rank: number, hosts: Hosts, several: boolean): Group {
  const host = hosts.get(rank) ?? "";
  const parent = several ? groupOf(root.groups, `host ${host}`, host || "Host not known", "host") : root;
  return groupOf(parent.groups, `rank ${String(rank)}`, `Rank ${String(rank)}`, "");
}

// The groups of all tracks, in their order, by rank: that of the files is none.
export function groupsOf(tracks: readonly Track[], hosts: Hosts = new Map()): Group {
  const root: Group = { key: "", title: "", note: "", groups: [], tracks: [] };
  const ranks = new Set(tracks.map((track) => track.rank)).size;
  const several = new Set(tracks.map((track) => hosts.get(track.rank) ?? "")).size > 1;
  for (const track of [...tracks].sort((a, b) => a.rank - b.rank)) {
    const rank = String(track.rank);
    const parent = ranks > 1 ? rankGroup(root, track.rank, hosts, several) : root;
    if (track.kind === "iteration" || track.kind === "path") parent.tracks.push(track);
    else if (track.kind === "counter") groupOf(parent.groups, `${rank} counters`, "Counters", "").tracks.push(track);
    else if (track.device !== null) {
      const device = String(track.device);
      groupOf(parent.groups, `${rank} device ${device}`, `Device ${device}`, track.device_name).tracks.push(track);
    } else if (track.kind === "other") groupOf(parent.groups, `${rank} other`, "Other rows of the source", "").tracks.push(track);
    else {
      const process = String(track.process);
      const name = track.process_name || "Process";
      groupOf(parent.groups, `${rank} process ${process}`, name, `process ${process}`).tracks.push(track);
    }
  }
  return root;
}

// Keys of rows that begin closed: what is much and seldom looked at first.
export function closedAtFirst(tracks: readonly Track[], hosts: Hosts = new Map()): Set<string> {
  const closed = new Set<string>();
  const root = groupsOf(tracks, hosts);
  // The first rank is open; of the others, on whichever host, one row each is seen.
  const ranks = root.groups.flatMap((group) => (group.key.startsWith("host ") ? group.groups : [group]));
  ranks.forEach((group, i) => {
    if (group.key.startsWith("rank") && i > 0) closed.add(group.key);
  });
  const walk = (group: Group) => {
    if (group.key.endsWith(" other")) closed.add(group.key);
    group.groups.forEach(walk);
    for (const track of group.tracks) {
      if (track.kind === "python" || track.kind === "os") closed.add(`track ${String(track.id)}`);
    }
  };
  walk(root);
  return closed;
}

const allTracks = (group: Group): Track[] => [...group.tracks, ...group.groups.flatMap(allTracks)];

// What a closed group shows: its streams, else its threads.
function summaryOf(group: Group): Track[] {
  const tracks = allTracks(group);
  const streams = tracks.filter((track) => track.kind === "stream");
  if (streams.length > 0) return streams;
  return tracks.filter((track) => track.kind !== "counter" && track.kind !== "python");
}

export function layoutOf(tracks: readonly Track[], closed: ReadonlySet<string>, hosts: Hosts = new Map()): Layout {
  const rows: Row[] = [];
  let y = 0;
  const put = (row: Omit<Row, "y">) => {
    rows.push({ ...row, y });
    y += row.height;
  };
  const putTrack = (track: Track, level: number) => {
    const key = `track ${String(track.id)}`;
    const open = !closed.has(key);
    const counter = track.kind === "counter";
    const depths = open ? track.depths : Math.min(track.depths, 1);
    const height = (counter ? COUNTER_HEIGHT : Math.max(depths, 1) * DEPTH_HEIGHT) + 2 * PADDING;
    put({
      key,
      type: "track",
      title: titleOf(track),
      note: NOTES[track.kind] ?? "",
      level,
      open,
      foldable: !counter && track.depths > 1,
      height,
      depths: counter ? 0 : depths,
      top: PADDING,
      tracks: [track],
    });
  };
  const walk = (group: Group, level: number) => {
    if (group.key) {
      const open = !closed.has(group.key);
      const shown = open ? [] : summaryOf(group);
      put({
        key: group.key,
        type: "group",
        title: group.title,
        note: group.note,
        level: level - 1,
        open,
        foldable: true,
        height: GROUP_HEIGHT,
        depths: shown.length > 0 ? 1 : 0,
        top: PADDING,
        tracks: shown,
      });
      if (!open) return;
    }
    for (const track of group.tracks) putTrack(track, level);
    for (const inner of group.groups) walk(inner, level + 1);
  };
  walk(groupsOf(tracks, hosts), 0);
  return { rows, height: y };
}

// The row at a height; -1 below the last.
export function rowAt(layout: Layout, y: number): number {
  let low = 0;
  let high = layout.rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((layout.rows[middle]?.y ?? 0) <= y) low = middle + 1;
    else high = middle;
  }
  const row = layout.rows[low - 1];
  return row && y < row.y + row.height ? low - 1 : -1;
}

export function depthAt(row: Row, y: number): number {
  const depth = Math.floor((y - row.y - row.top) / DEPTH_HEIGHT);
  return depth >= 0 && depth < row.depths ? depth : -1;
}

// Where an event of a track lies: its row, and the middle of its depth (of a closed row the row's).
export function placeOf(layout: Layout, track: number, depth: number): { row: Row; y: number; hidden: boolean } | null {
  const own = layout.rows.find((row) => row.type === "track" && row.tracks[0]?.id === track);
  if (own) {
    const hidden = depth >= own.depths;
    const shown = Math.max(Math.min(depth, own.depths - 1), 0);
    return { row: own, y: own.y + own.top + (shown + 0.5) * DEPTH_HEIGHT, hidden };
  }
  const group = layout.rows.find((row) => row.type === "group" && !row.open && row.tracks.some((each) => each.id === track));
  return group ? { row: group, y: group.y + group.height / 2, hidden: depth > 0 } : null;
}

// Keys of the rows to open so that an event is seen.
export function keysAround(tracks: readonly Track[], track: number, hosts: Hosts = new Map()): string[] {
  const found: string[] = [];
  const walk = (group: Group): boolean => {
    const inside = group.tracks.some((each) => each.id === track) || group.groups.some(walk);
    if (inside && group.key) found.push(group.key);
    return inside;
  };
  walk(groupsOf(tracks, hosts));
  return [...found, `track ${String(track)}`];
}
