// Which rank a picture of iterations is of: the one that is chosen, else that of the longest iterations of the range,
// of equals the first. It is called the slowest only where they are longer by more than they vary.
import type { RankPace } from "../../api/types";
import { useSetParams } from "../../address/useRoute";

export interface RankChoice {
  ranks: readonly RankPace[]; // rising
  rank: number;
}

export function pickRank(ranks: readonly RankPace[], wanted: string | null): RankChoice {
  const longest = Math.max(...ranks.map((each) => each.mean_ns ?? 0));
  const picked = ranks.find((each) => String(each.rank) === wanted) ?? ranks.find((each) => (each.mean_ns ?? 0) === longest);
  return { ranks, rank: picked?.rank ?? 0 };
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
          <option key={each.rank} value={each.rank}>
            {each.rank}
            {each.slowest && (each.spread_known ? " (slowest)" : " (slowest; how much it varies is not known)")}
          </option>
        ))}
      </select>
    </label>
  );
}
