// A run of a store, from a list.
import { SHOWN_DIGITS } from "./names";

const MOST_RUNS = 500;

export interface RunName {
  run: string;
  name: string;
  recorded: string;
}

// Names, with digits of the id where several runs are called the same.
export function namesById(runs: readonly RunName[]): ReadonlyMap<string, string> {
  const count = new Map<string, number>();
  for (const { name } of runs) count.set(name, (count.get(name) ?? 0) + 1);
  return new Map(runs.map(({ run, name }) => [run, count.get(name) === 1 ? name : `${name} (${run.slice(0, SHOWN_DIGITS)})`]));
}

export function RunChoice({ runs, add }: { runs: readonly RunName[]; add: (run: string) => void }) {
  const names = namesById(runs);
  const left = runs.length - MOST_RUNS;
  return (
    <label className="inline-label">
      Run
      <select
        value=""
        onChange={(event) => {
          if (event.target.value !== "") add(event.target.value);
        }}
      >
        <option value="">any</option>
        {runs.slice(0, MOST_RUNS).map(({ run, recorded }) => (
          <option key={run} value={run}>
            {[names.get(run), recorded].filter(Boolean).join(", ")}
          </option>
        ))}
        {left > 0 && (
          <option disabled value="">
            {left} more: choose by a label
          </option>
        )}
      </select>
    </label>
  );
}
