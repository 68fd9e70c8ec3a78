// What stands in place of what is about all ranks of a job together, while one of them is chosen.
import { RANK_KEY, formatHash, patched } from "../address/route";
import { useRank, useRoute } from "../address/useRoute";
import { Icon } from "./Icon";

function AllRanks() {
  const { view, params } = useRoute();
  return <a href={formatHash(view, patched(params, { [RANK_KEY]: null }))}>Show all ranks</a>;
}

// Beside what is shown of the rank. `what`: the begin of a sentence, in the plural.
export function LeftOutOfOneRank({ what }: { what: string }) {
  const rank = useRank();
  if (rank === null) return null;
  return (
    <p className="callout span-12" role="note">
      {what} are about all ranks together, and rank {rank} alone is shown. <AllRanks />
    </p>
  );
}

// Of a whole view or table.
export function OfAllRanks() {
  const rank = useRank();
  return (
    <div className="empty">
      <Icon name="network" size={28} />
      <h2>About all ranks together</h2>
      <div className="empty-text">
        <p>{rank === null ? "One rank alone" : `Rank ${String(rank)} alone`} has no rows of this table.</p>
        <AllRanks />
      </div>
    </div>
  );
}
