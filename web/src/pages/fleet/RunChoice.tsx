// A run of a store, from a list.
const MOST_RUNS = 500;

export interface KnownRun {
  run: string; // its id
  called: string; // apart from all others
  recorded: string;
}

export function RunChoice({ runs, add }: { runs: readonly KnownRun[]; add: (run: string) => void }) {
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
        {runs.slice(0, MOST_RUNS).map(({ run, called, recorded }) => (
          <option key={run} value={run}>
            {[called, recorded].filter(Boolean).join(", ")}
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
