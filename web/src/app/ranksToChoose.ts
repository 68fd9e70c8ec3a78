import type { Info } from "../api/types";

export interface RankToChoose {
  rank: number;
  host: string;
}

// Of several ranks those that their number tells: runs that were imported together may have a rank 0 each.
export function ranksToChoose(info: Pick<Info, "ranks"> | undefined): RankToChoose[] {
  const all = (info?.ranks ?? []).map((each) => ({ rank: Number(each.rank), host: String(each.host ?? "") }));
  if (all.length < 2) return [];
  const hosts = new Set(all.map((each) => each.host)).size;
  return all
    .filter(({ rank }) => all.filter((other) => other.rank === rank).length === 1)
    .map(({ rank, host }) => ({ rank, host: hosts > 1 ? host : "" }))
    .sort((a, b) => a.rank - b.rank);
}
