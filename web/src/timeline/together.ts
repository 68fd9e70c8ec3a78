// The parts of one collective on all ranks: what the other ranks did of the one that is selected.
import { getJson } from "../api/client";
import type { Table } from "../api/types";
import { entryAt } from "../engine/window";
import { rowsOf } from "../table/row";
import type { Place, TimelineApi, Tracks } from "./api";

export interface Part extends Place {
  rank: number;
  waiting_ns: number | null; // null: not known
  last: boolean;
}

export interface Together {
  call: string;
  parts: readonly Part[]; // by rank
}

const MOST = 1000; // rows of an answer
const PIXELS = 4096;

// Asks the tables of a profile, whatever range is chosen.
export class TogetherApi {
  private readonly path: string;
  constructor(
    profile: string,
    private readonly api: TimelineApi,
    private readonly info: Tracks,
  ) {
    this.path = `/profiles/${profile}/tables/collective_members`;
  }

  private ask(filter: readonly string[], size: number, signal: AbortSignal): Promise<Table> {
    return getJson<Table>(this.path, { whole: 1, filter: [...filter], page_size: size }, signal);
  }

  // Of the collective that this event is a part of; null: it is none, or nothing is known of other ranks.
  async of(place: Place, signal: AbortSignal): Promise<Together | null> {
    if (place.track === null) return null;
    const kind = this.info.tracks.find((track) => track.id === place.track)?.kind;
    if (place.kind !== "communication_kernel" && kind !== "annotation") return null;
    const found = await this.ask([`track:eq:${String(place.track)}`, `begin_ns:eq:${String(place.begin_ns)}`], 1, signal);
    const call = rowsOf(found)[0]?.text("call") ?? null;
    return call === null ? null : this.ofCall(call, signal);
  }

  async ofCall(call: string, signal: AbortSignal): Promise<Together | null> {
    const rows = rowsOf(await this.ask([`call:eq:${call}`], MOST, signal));
    const parts: Part[] = [];
    for (const row of rows) {
      const [track, rank, begin, length] = [row.number("track"), row.number("rank"), row.number("begin_ns"), row.number("duration_ns")];
      if (track === null || rank === null || begin === null || length === null) continue;
      const last = row.get("is_last");
      const said = { rank, waiting_ns: row.number("waiting_ns"), last: last === true || last === "yes" };
      parts.push({ track, span: -1, name: "", kind: "communication_kernel", begin_ns: begin, dur_ns: length, depth: 0, ...said });
    }
    if (parts.length === 0) return null;
    return { call, parts: await this.found(parts, signal) };
  }

  // With the spans and depths that the timeline knows of them.
  private async found(parts: readonly Part[], signal: AbortSignal): Promise<Part[]> {
    const begin = Math.min(...parts.map((part) => part.begin_ns));
    const end = Math.max(...parts.map((part) => part.begin_ns + Math.max(part.dur_ns, 1)));
    const tracks = [...new Set(parts.map((part) => part.track ?? -1))];
    const window = await this.api.window(tracks, begin, end, PIXELS, signal);
    return parts.map((part) => {
      const entries = window.tracks.get(part.track ?? -1);
      if (!entries) return part;
      for (let depth = 0; depth + 1 < entries.rows.length; depth += 1) {
        const i = entryAt(entries, depth, part.begin_ns - window.begin, 0);
        if (i < 0 || entries.count[i] !== 1) continue;
        if (window.begin + (entries.begin[i] ?? 0) !== part.begin_ns || entries.dur[i] !== part.dur_ns) continue;
        const kind = this.info.kinds[entries.kind[i] ?? 0] ?? part.kind;
        return { ...part, span: entries.span[i] ?? -1, name: window.names[entries.name[i] ?? 0] ?? "", kind, depth };
      }
      return part;
    });
  }
}
