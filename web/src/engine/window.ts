// Windows of the timeline as the server sends them for typed arrays. Layout, little-endian:
//   "OTL1", uint32 bytes of JSON, JSON padded with spaces to a multiple of 8,
//   then the columns, each over all tracks in order and padded to a multiple of 8: begin, dur, busy (float64),
//   name, span, count (uint32), depth (uint16), kind (uint8).

// Entries of one track in one window, by depth, then begin. An entry is a span, or several that begin within
// the same pixel: then it goes from the first begin to the last end, and name, span and kind are the longest's.
export interface Entries {
  begin: Float64Array; // from the window's begin; negative: began before it
  dur: Float64Array;
  busy: Float64Array; // union of the spans
  name: Uint32Array; // into Window.names
  span: Uint32Array;
  count: Uint32Array;
  depth: Uint16Array;
  kind: Uint8Array;
  rows: Uint32Array; // where each depth begins; one more than depths
}

export interface TimelineWindow {
  begin: number;
  end: number;
  pixel: number;
  complete: boolean;
  names: readonly string[];
  shortNames: readonly string[]; // beside names: where there is little room
  tracks: Map<number, Entries>;
}

interface Head {
  begin_ns: number;
  end_ns: number;
  pixel_ns: number;
  complete: boolean;
  names: string[];
  short_names: string[];
  tracks: { id: number; entries: number }[];
}

const MAGIC = 0x314c544f; // "OTL1"

export function decodeWindow(buffer: ArrayBuffer): TimelineWindow {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, true) !== MAGIC) throw new Error("the answer is not a window of a timeline");
  const length = view.getUint32(4, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length))) as Head;
  const total = head.tracks.reduce((sum, track) => sum + track.entries, 0);
  let at = 8 + length;
  const place = (bytes: number): number => {
    const from = at;
    at += Math.ceil((bytes * total) / 8) * 8;
    return from;
  };
  const begin = new Float64Array(buffer, place(8), total);
  const dur = new Float64Array(buffer, place(8), total);
  const busy = new Float64Array(buffer, place(8), total);
  const name = new Uint32Array(buffer, place(4), total);
  const span = new Uint32Array(buffer, place(4), total);
  const count = new Uint32Array(buffer, place(4), total);
  const depth = new Uint16Array(buffer, place(2), total);
  const kind = new Uint8Array(buffer, place(1), total);
  const tracks = new Map<number, Entries>();
  let first = 0;
  for (const track of head.tracks) {
    const last = first + track.entries;
    const depths = depth.subarray(first, last);
    tracks.set(track.id, {
      begin: begin.subarray(first, last),
      dur: dur.subarray(first, last),
      busy: busy.subarray(first, last),
      name: name.subarray(first, last),
      span: span.subarray(first, last),
      count: count.subarray(first, last),
      depth: depths,
      kind: kind.subarray(first, last),
      rows: rowsOf(depths),
    });
    first = last;
  }
  return { begin: head.begin_ns, end: head.end_ns, pixel: head.pixel_ns, complete: head.complete, names: head.names, shortNames: head.short_names, tracks };
}

// Where each depth begins among entries that are sorted by depth.
export function rowsOf(depth: Uint16Array): Uint32Array {
  const depths = depth.length === 0 ? 0 : (depth[depth.length - 1] ?? 0) + 1;
  const rows = new Uint32Array(depths + 1);
  let at = 0;
  for (let row = 0; row < depths; row += 1) {
    rows[row] = at;
    while (at < depth.length && depth[at] === row) at += 1;
  }
  rows[depths] = at;
  return rows;
}

// The entry of a depth that covers a time (from the window's begin), or the nearest one within `slack`; -1: none.
export function entryAt(entries: Entries, depth: number, time: number, slack: number): number {
  if (depth + 1 >= entries.rows.length) return -1;
  const { begin, dur } = entries;
  const first = entries.rows[depth] ?? 0;
  const last = entries.rows[depth + 1] ?? 0;
  let low = first;
  let high = last;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((begin[middle] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  let best = -1;
  let distance = slack;
  for (const i of [low - 1, low]) {
    if (i < first || i >= last) continue;
    const from = begin[i] ?? 0;
    const to = from + (dur[i] ?? 0);
    const away = time < from ? from - time : time >= to ? time - to : -1;
    if (away < distance) {
      if (away < 0) return i;
      best = i;
      distance = away;
    }
  }
  return best;
}
