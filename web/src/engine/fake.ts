// Windows for tests, made from plain spans as the server makes them.
import { rowsOf, type Entries, type TimelineWindow } from "./window";

export interface PlainSpan {
  begin: number;
  dur: number;
  depth: number;
  name: string;
  span: number;
}

// Spans that begin in the same pixel of the same depth become one entry.
export function windowOf(spans: Map<number, PlainSpan[]>, begin: number, end: number, width: number): TimelineWindow {
  const names: string[] = [];
  const tracks = new Map<number, Entries>();
  const pixel = (end - begin) / width;
  for (const [track, list] of spans) {
    const groups = new Map<string, PlainSpan[]>();
    for (const span of list) {
      if (span.begin >= end || (span.begin < begin && span.begin + span.dur <= begin)) continue;
      const at = span.begin < begin ? -1 : Math.floor((span.begin - begin) / pixel);
      const key = `${String(span.depth)} ${String(at)}`;
      groups.set(key, [...(groups.get(key) ?? []), span]);
    }
    const sorted = [...groups.values()].sort((a, b) => (a[0]?.depth ?? 0) - (b[0]?.depth ?? 0) || (a[0]?.begin ?? 0) - (b[0]?.begin ?? 0));
    tracks.set(track, entriesOf(sorted, begin, names));
  }
  return { begin, end, pixel, complete: true, names, shortNames: names, tracks };
}

function entriesOf(groups: PlainSpan[][], origin: number, names: string[]): Entries {
  const numberOf = (name: string): number => {
    if (!names.includes(name)) names.push(name);
    return names.indexOf(name);
  };
  const rows = groups.map((group) => {
    const longest = group.reduce((a, b) => (b.dur > a.dur ? b : a));
    const begin = Math.min(...group.map((span) => span.begin));
    return {
      begin: begin - origin,
      dur: Math.max(...group.map((span) => span.begin + span.dur)) - begin,
      busy: group.reduce((sum, span) => sum + span.dur, 0),
      depth: longest.depth,
      name: numberOf(longest.name),
      span: longest.span,
      count: group.length,
    };
  });
  const depth = Uint16Array.from(rows, (row) => row.depth);
  return {
    begin: Float64Array.from(rows, (row) => row.begin),
    dur: Float64Array.from(rows, (row) => row.dur),
    busy: Float64Array.from(rows, (row) => row.busy),
    name: Uint32Array.from(rows, (row) => row.name),
    span: Uint32Array.from(rows, (row) => row.span),
    count: Uint32Array.from(rows, (row) => row.count),
    depth,
    kind: new Uint8Array(rows.length),
    rows: rowsOf(depth),
  };
}
