// Which rank a picture of iterations is of: the one that is chosen, else the slowest of the range.
import type { IterationShares } from "../../api/types";
import { useSetParams } from "../../app/useRoute";

export interface RankChoice {
  ranks: number[]; // rising
  rank: number;
  slowest: number;
}

export function pickRank(iterations: readonly IterationShares[], wanted: string | null): RankChoice {
  const spent = new Map<number, number>();
  for (const each of iterations) spent.set(each.rank, (spent.get(each.rank) ?? 0) + (each.selected ? each.dur_ns : 0));
  const ranks = [...spent.keys()].sort((a, b) => a - b);
  const slowest = ranks.reduce((best, each) => ((spent.get(each) ?? 0) > (spent.get(best) ?? 0) ? each : best), ranks[0] ?? 0);
  return { ranks, rank: ranks.find((each) => String(each) === wanted) ?? slowest, slowest };
}

export function RankPicker({ choice }: { choice: RankChoice }) {
  const setParams = useSetParams();
  if (choice.ranks.length < 2) return null;
  return (
    <label className="inline-label">
      Rank
      <select
        value={choice.rank}
        onChange={(event) => {
          setParams({ rank: event.target.value }, { replace: true });
        }}
      >
        {choice.ranks.map((each) => (
          <option key={each} value={each}>
            {each}
            {each === choice.slowest && " (slowest)"}
          </option>
        ))}
      </select>
    </label>
  );
}
