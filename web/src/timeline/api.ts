// What the timeline asks the server.
import { getBytes, getJson } from "../api/client";
import type { components } from "../api/schema";
import type { Track } from "../engine/layout";
import { decodeWindow, type TimelineWindow } from "../engine/window";

type Schemas = components["schemas"];
export type Tracks = Omit<Schemas["Tracks"], "tracks"> & { tracks: Track[] };
export type Place = Schemas["EventPlace"];
export type Link = Schemas["ChainLink"];
export type EventAnswer = Schemas["Event"];
export type SearchAnswer = Schemas["Match"];
export type Sum = Schemas["NameSum"];
export type SumsAnswer = Schemas["Sums"];
export type CountersAnswer = Schemas["Counters"];

const whole = (time: number): number => Math.round(time);

export class TimelineApi {
  private readonly path: string;
  // `rank`: the one whose tracks are shown; null: all.
  constructor(
    profile: string,
    private readonly rank: number | null = null,
  ) {
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
      rank: this.rank,
    });
  }
  sums(tracks: readonly number[], begin: number, end: number, signal?: AbortSignal): Promise<SumsAnswer> {
    return getJson<SumsAnswer>(`${this.path}/sums`, { tracks: tracks.join(","), begin: whole(begin), end: whole(end) }, signal);
  }
  counters(tracks: readonly number[], begin: number, end: number, width: number): Promise<CountersAnswer> {
    return getJson<CountersAnswer>(`${this.path}/counters`, { tracks: tracks.join(","), begin: whole(begin), end: whole(end), width });
  }
}
