// What the timeline asks the server.
import { getBytes, getJson } from "../api/client";
import type { Cell, Unit } from "../widgets/format";
import { decodeWindow, type TimelineWindow } from "../engine/window";
import type { Track } from "../engine/layout";

export interface Tracks {
  origin_ns: number | string;
  origin_is_unix: boolean;
  begin_ns: number;
  end_ns: number;
  kinds: string[];
  tracks: Track[];
}

export interface Place {
  track: number | null;
  span: number;
  name: string;
  kind: string;
  begin_ns: number;
  dur_ns: number;
  depth: number;
}
export interface Link extends Place {
  role: string;
}
export interface EventAnswer {
  event: Place;
  fields: { key: string; help: string; unit: Unit; value: Cell }[];
  chain: Link[];
  launched_in_all: number;
}
export interface SearchAnswer {
  matches: number;
  number: number;
  match: Place | null;
}
export interface Sum {
  name: string;
  kind: string;
  count: number;
  total_ns: number;
  longest_ns: number;
  longest: Place;
}
export interface SumsAnswer {
  names: Sum[];
  names_in_all: number;
  tracks: { id: number; spans: number; busy_ns: number }[];
}
export interface CounterSeries {
  name: string;
  least: number[];
  greatest: number[];
  last: number[];
}
export interface CountersAnswer {
  begin_ns: number;
  tracks: { id: number; time: number[]; series: CounterSeries[] }[];
}

const whole = (time: number): number => Math.round(time);

export class TimelineApi {
  private readonly path: string;
  constructor(profile: string) {
    this.path = `/profiles/${profile}/timeline`;
  }
  async window(tracks: readonly number[], begin: number, end: number, width: number, signal?: AbortSignal): Promise<TimelineWindow> {
    const asked = { tracks: tracks.join(","), begin: whole(begin), end: whole(end), width, format: "binary" };
    return decodeWindow(await getBytes(`${this.path}/window`, asked, signal));
  }
  event(track: number, span: number, signal?: AbortSignal): Promise<EventAnswer> {
    return getJson<EventAnswer>(`${this.path}/event`, { track, span }, signal);
  }
  search(text: string, from: number, backwards: boolean, at: { track: number; span: number } | null): Promise<SearchAnswer> {
    return getJson<SearchAnswer>(`${this.path}/search`, {
      q: text,
      from: whole(from),
      direction: backwards ? "previous" : "next",
      from_track: at?.track,
      from_span: at?.span,
    });
  }
  sums(tracks: readonly number[], begin: number, end: number, signal?: AbortSignal): Promise<SumsAnswer> {
    return getJson<SumsAnswer>(`${this.path}/sums`, { tracks: tracks.join(","), begin: whole(begin), end: whole(end) }, signal);
  }
  counters(tracks: readonly number[], begin: number, end: number, width: number): Promise<CountersAnswer> {
    return getJson<CountersAnswer>(`${this.path}/counters`, { tracks: tracks.join(","), begin: whole(begin), end: whole(end), width });
  }
}
