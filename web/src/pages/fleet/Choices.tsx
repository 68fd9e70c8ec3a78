// Which runs of a store the view is about: a value of each label, or single runs.
import type { ReactNode } from "react";
import { linkTo } from "../../address/route";
import { useRoute, useSetParams } from "../../address/useRoute";
import { useProfiles } from "../../api/queries";
import type { Collection, StoreAnswer } from "../../api/types";
import { rowsOf } from "../../table/row";
import { Icon } from "../../widgets/Icon";
import { useStoreAnswer, type Choice } from "./api";

const MOST_LABELS = 12;
const MOST_VALUES = 300;

export interface Value {
  value: string;
  runs: number;
}

// The labels of all runs, those that most runs have first.
export function useLabels(store: string): [string, Value[]][] {
  const answer = useStoreAnswer<StoreAnswer>({ store, label: [], run: [] }, "reports/labels");
  const labels = new Map<string, Value[]>();
  for (const row of answer.data?.tables[0] ? rowsOf(answer.data.tables[0]) : []) {
    const label = row.text("label") ?? "";
    labels.set(label, [...(labels.get(label) ?? []), { value: row.text("value") ?? "", runs: row.number("runs_count") ?? 0 }]);
  }
  const having = (values: readonly Value[]) => values.reduce((sum, { runs }) => sum + runs, 0);
  return [...labels].sort((a, b) => having(b[1]) - having(a[1]) || a[0].localeCompare(b[0]));
}

// The labels to choose from. One that is chosen can be taken away, also where the store has no such label.
export function withChosen(labels: readonly [string, Value[]][], chosen: readonly string[]): [string, Value[]][] {
  const shown = labels.slice(0, MOST_LABELS);
  const missing = chosen.map((each) => each.slice(0, each.indexOf("="))).filter((label) => !shown.some(([name]) => name === label));
  return [...shown, ...missing.map((label): [string, Value[]] => [label, []])];
}

const valueOf = (chosen: readonly string[], label: string): string => chosen.find((each) => each.startsWith(`${label}=`))?.slice(label.length + 1) ?? "";

interface OfLabel {
  label: string;
  values: readonly Value[];
  chosen: readonly string[]; // NAME=VALUE, of any label
  choose: (chosen: string[]) => void;
}

export function LabelChoice({ label, values, chosen, choose }: OfLabel) {
  const now = valueOf(chosen, label);
  return (
    <label className="inline-label">
      {label}
      <select
        value={now}
        onChange={(event) => {
          const others = chosen.filter((each) => !each.startsWith(`${label}=`));
          choose(event.target.value === "" ? others : [...others, `${label}=${event.target.value}`]);
        }}
      >
        <option value="">any</option>
        {now !== "" && !values.some(({ value }) => value === now) && <option value={now}>{now}</option>}
        {values.slice(0, MOST_VALUES).map(({ value, runs }) => (
          <option key={value} value={value}>
            {value} ({runs})
          </option>
        ))}
      </select>
    </label>
  );
}

export function ChosenRun({ name, remove, children }: { name: string; remove: () => void; children: ReactNode }) {
  return (
    <span className="fleet-run">
      {children}
      <button type="button" className="icon-button" aria-label={name} onClick={remove}>
        <Icon name="close" size={12} />
      </button>
    </span>
  );
}

export function StoreChoice({ shown }: { shown: Collection }) {
  const stores = useProfiles().data?.stores ?? [];
  if (stores.length < 2) return <span className="fleet-store">{shown.name}</span>;
  return (
    <label className="inline-label">
      Store
      <select
        value={shown.name}
        onChange={(event) => {
          window.location.hash = linkTo("fleet", new URLSearchParams(), { store: event.target.value });
        }}
      >
        {stores.map((store) => (
          <option key={store.id} value={store.name}>
            {store.name}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Choices({ store, choice }: { store: Collection; choice: Choice }) {
  const setParams = useSetParams();
  const { params } = useRoute();
  const labels = useLabels(store.id);
  return (
    <div className="fleet-choices" role="group" aria-label="Which runs">
      <StoreChoice shown={store} />
      {withChosen(labels, choice.label).map(([label, values]) => (
        <LabelChoice
          key={label}
          label={label}
          values={values}
          chosen={choice.label}
          choose={(chosen) => {
            setParams({ label: chosen });
          }}
        />
      ))}
      {choice.run.map((run) => (
        <ChosenRun
          key={run}
          name={`All runs, not ${run.slice(0, 12)} alone`}
          remove={() => {
            setParams({ run: choice.run.filter((each) => each !== run) });
          }}
        >
          run {run.slice(0, 12)}
        </ChosenRun>
      ))}
      {labels.length > MOST_LABELS && <span className="hint">{labels.length - MOST_LABELS} more labels: see “Runs by label”</span>}
      {choice.label.length + choice.run.length > 0 && (
        <a className="link" href={linkTo("fleet", new URLSearchParams(), { store: params.get("store"), tab: params.get("tab") })}>
          All runs
        </a>
      )}
    </div>
  );
}
