// The critical path as rows of the timeline: one for each rank, made of the answer here, so that it is drawn, searched
// by pointer and selected as rows of the server are.
import type { components } from "../api/schema";
import type { Track } from "../engine/layout";
import { rowsOf, type Entries, type TimelineWindow } from "../engine/window";
import { TimelineApi, type EventAnswer, type SumsAnswer, type Tracks } from "./api";

export type PathAnswer = components["schemas"]["CriticalPath"];

// Rows of the server have numbers from 0 on.
const FIRST = -2;

interface Row {
  id: number;
  rank: number;
  pieces: number[]; // places in the answer, by time
}

function rowsOfRanks(answer: PathAnswer): Row[] {
  const rows = new Map<number, Row>();
  answer.rank.forEach((rank, i) => {
    const row = rows.get(rank) ?? { id: FIRST - rows.size, rank, pieces: [] };
    row.pieces.push(i);
    rows.set(rank, row);
  });
  return [...rows.values()];
}

function trackOf(row: Row): Track {
  return {
    id: row.id,
    kind: "path",
    rank: row.rank,
    process: 0,
    process_name: "",
    thread: 0,
    device: null,
    device_name: "",
    context: null,
    stream: null,
    name: "Critical path",
    unit: "",
    series: [],
    spans: row.pieces.length,
    depths: 1,
  };
}

export class PathApi extends TimelineApi {
  private readonly rows: Map<number, Row>;
  constructor(
    profile: string,
    private readonly answer: PathAnswer,
    private readonly kinds: readonly string[],
    rank: number | null = null,
  ) {
    super(profile, rank);
    this.rows = new Map(rowsOfRanks(answer).map((row) => [row.id, row]));
  }

  // The tracks with those of the path before them.
  around(info: Tracks): Tracks {
    return { ...info, tracks: [...[...this.rows.values()].map(trackOf), ...info.tracks] };
  }

  override async window(tracks: readonly number[], begin: number, end: number, width: number, signal?: AbortSignal): Promise<TimelineWindow> {
    const own = tracks.filter((track) => this.rows.has(track));
    const others = tracks.filter((track) => !this.rows.has(track));
    const pixel = (end - begin) / width;
    const window = others.length > 0 ? await super.window(others, begin, end, width, signal) : emptyWindow(begin, end, pixel);
    if (own.length === 0) return window;
    const names = [...window.names, ...this.answer.names];
    const shortNames = [...window.shortNames, ...this.answer.names];
    const all = new Map(window.tracks);
    for (const track of own) all.set(track, this.entriesOf(track, begin, end, pixel, window.names.length));
    return { ...window, names, shortNames, tracks: all };
  }

  // Pieces that begin within the same pixel are one, named after the longest.
  private entriesOf(track: number, begin: number, end: number, pixel: number, firstName: number): Entries {
    const { answer } = this;
    const found: { at: number; last: number; longest: number; count: number; busy: number }[] = [];
    for (const i of this.rows.get(track)?.pieces ?? []) {
      const from = answer.begin_ns[i] ?? 0;
      const dur = answer.dur_ns[i] ?? 0;
      if (from + dur <= begin || from >= end) continue;
      const before = found.at(-1);
      if (before && from >= begin && Math.floor((before.at - begin) / pixel) === Math.floor((from - begin) / pixel)) {
        before.last = Math.max(before.last, from + dur);
        before.count += 1;
        before.busy += dur;
        if (dur > (answer.dur_ns[before.longest] ?? 0)) before.longest = i;
      } else found.push({ at: from, last: from + dur, longest: i, count: 1, busy: dur });
    }
    const depth = new Uint16Array(found.length);
    return {
      begin: Float64Array.from(found, (each) => each.at - begin),
      dur: Float64Array.from(found, (each) => each.last - each.at),
      busy: Float64Array.from(found, (each) => each.busy),
      name: Uint32Array.from(found, (each) => firstName + (answer.name[each.longest] ?? 0)),
      span: Uint32Array.from(found, (each) => each.longest),
      count: Uint32Array.from(found, (each) => each.count),
      depth,
      kind: Uint8Array.from(found, (each) => Math.max(this.kinds.indexOf(answer.kind[each.longest] ?? ""), 0)),
      rows: rowsOf(depth),
    };
  }

  // Of a piece of the path its span on its own row; what lies between spans has none.
  override event(track: number, span: number, signal?: AbortSignal): Promise<EventAnswer> {
    if (!this.rows.has(track)) return super.event(track, span, signal);
    const { answer } = this;
    const [on, number] = [answer.track[span] ?? -1, answer.span[span] ?? -1];
    if (on >= 0 && number >= 0) return super.event(on, number, signal);
    return Promise.resolve({
      event: {
        track,
        span,
        name: answer.names[answer.name[span] ?? 0] ?? "",
        kind: answer.kind[span] ?? "",
        begin_ns: answer.begin_ns[span] ?? 0,
        dur_ns: answer.dur_ns[span] ?? 0,
        depth: 0,
      },
      fields: [],
      chain: [],
      launched_in_all: 0,
    });
  }

  override sums(tracks: readonly number[], begin: number, end: number, signal?: AbortSignal): Promise<SumsAnswer> {
    return super.sums(tracks.filter((track) => !this.rows.has(track)), begin, end, signal);
  }
}

function emptyWindow(begin: number, end: number, pixel: number): TimelineWindow {
  return { begin, end, pixel, complete: true, names: [], shortNames: [], tracks: new Map() };
}

const percent = (part: number, of: number): string => (of > 0 ? `${((100 * part) / of).toFixed(1)} %` : "–");

// What the row tells, and how far to trust it.
export function pathNote(answer: PathAnswer): string {
  if (answer.length_ns === 0) return `No critical path: ${answer.lacks}.`;
  const delays = `${percent(answer.delays_ns, answer.length_ns)} of it are delays between the pieces`;
  const cut = answer.left_out > 0 ? `; the ${String(answer.left_out)} shortest pieces are left out` : "";
  const trust = answer.simulatable ? "" : " It is uncertain: a replay of the iterations does not explain the measured time.";
  const unlaunched = answer.unlaunched_pct >= 10 ? ` ${String(Math.round(answer.unlaunched_pct))} % of the devices' time has no recorded launch: the path may be too much the host's.` : "";
  return `What the end of each iteration waited for, one piece after another; ${delays}${cut}.${trust}${unlaunched}`;
}
