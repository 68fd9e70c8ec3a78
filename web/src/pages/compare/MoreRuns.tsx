// Repeated runs: more profiles of a side, so that a difference stands against what runs of one program differ by.
import type { Profile } from "../../api/types";
import { useRoute, useSetParams } from "../../address/useRoute";
import { Icon } from "../../widgets/Icon";

export const MORE_RUNS = ["base_runs", "new_runs"] as const;
export type Side = (typeof MORE_RUNS)[number];

// The runs that the address names for a side, each once and without its first; and the names that no run here has.
export function moreRuns(params: URLSearchParams, side: Side, list: readonly Profile[], first: string): { ids: string[]; unknown: string[] } {
  const ids: string[] = [];
  const unknown: string[] = [];
  for (const name of params.getAll(side)) {
    const found = list.find((profile) => profile.name === name);
    if (!found) unknown.push(name);
    else if (found.id !== first && !ids.includes(found.id)) ids.push(found.id);
  }
  return { ids, unknown };
}

export function RunOptions({ list }: { list: readonly Profile[] }) {
  return list.map((profile) => (
    <option key={profile.id} value={profile.id}>
      {profile.name}
    </option>
  ));
}

function OfSide({ side, label, list, first }: { side: Side; label: string; list: readonly Profile[]; first: string }) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const { ids } = moreRuns(params, side, list, first);
  const nameOf = (id: string) => list.find((profile) => profile.id === id)?.name ?? "";
  const write = (chosen: readonly string[]) => {
    setParams({ [side]: chosen.map(nameOf) });
  };
  const free = list.filter((profile) => profile.id !== first && !ids.includes(profile.id));
  return (
    <div className="toolbar" role="group" aria-label={`More runs ${label}`}>
      <span>More runs {label}</span>
      {ids.map((id) => (
        <button
          key={id}
          type="button"
          className="button small"
          title="Leave this run out"
          onClick={() => {
            write(ids.filter((each) => each !== id));
          }}
        >
          {nameOf(id)} <Icon name="close" size={12} />
        </button>
      ))}
      <select
        aria-label={`Add a run ${label}`}
        value=""
        disabled={free.length === 0}
        onChange={(event) => {
          write([...ids, event.target.value]);
        }}
      >
        <option value="">add a run</option>
        <RunOptions list={free} />
      </select>
    </div>
  );
}

export function MoreRuns({ list, first, second }: { list: readonly Profile[]; first: string; second: string }) {
  return (
    <>
      <OfSide side="base_runs" label="before" list={list} first={first} />
      <OfSide side="new_runs" label="after" list={list} first={second} />
    </>
  );
}
