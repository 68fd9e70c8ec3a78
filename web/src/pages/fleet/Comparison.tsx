// Two sets of runs beside each other. Numbers are those of `opsight fleet compare`.
import { useRoute, useSetParams } from "../../address/useRoute";
import type { Collection, StoreAnswer, Table } from "../../api/types";
import { DataTable } from "../../table/DataTable";
import { rowsOf, wholeRow } from "../../table/row";
import { Card, Notes } from "../../widgets/Card";
import { Answered } from "../../widgets/states";
import { useComparison, useStoreAnswer } from "./api";
import { ChosenRun, LabelChoice, StoreChoice, useLabels, withChosen, type Value } from "./Choices";
import { ownNames, shortId } from "./names";
import { RunChoice, type KnownRun } from "./RunChoice";

type SideName = "base" | "new";
const TITLES: Record<SideName, string> = { base: "Base", new: "New" };

const isLabel = (word: string): boolean => word.includes("=");

interface OfSide {
  side: SideName;
  labels: readonly [string, Value[]][];
  runs: readonly KnownRun[];
}

// Labels and runs of one side, as words of the address.
function Side({ side, labels, runs }: OfSide) {
  const setParams = useSetParams();
  const words = useRoute().params.getAll(side);
  const [chosen, alone] = [words.filter(isLabel), words.filter((word) => !isLabel(word))];
  const called = (run: string) => runs.find((each) => each.run === run)?.called ?? run;
  const set = (next: string[]) => {
    setParams({ [side]: next });
  };
  return (
    <fieldset className="fleet-choices fleet-side">
      <legend>{TITLES[side]}</legend>
      {withChosen(labels, chosen).map(([label, values]) => (
        <LabelChoice
          key={label}
          label={label}
          values={values}
          chosen={chosen}
          choose={(next) => {
            set([...next, ...alone]);
          }}
        />
      ))}
      <RunChoice
        runs={runs.filter(({ run }) => !alone.includes(run))}
        add={(run) => {
          set([...words, run]);
        }}
      />
      {alone.map((run) => (
        <ChosenRun
          key={run}
          name={`${TITLES[side]} without ${called(run)}`}
          remove={() => {
            set(words.filter((each) => each !== run));
          }}
        >
          {called(run)}
        </ChosenRun>
      ))}
    </fieldset>
  );
}

function Part({ table }: { table: Table }) {
  return (
    <Card title={table.title} note={table.rows_in_all > table.rows.length ? `the first ${String(table.rows.length)} of ${String(table.rows_in_all)}; opsight fleet compare has all of them` : undefined}>
      <DataTable name={`fleet_${table.name}`} label={table.title} prefix={`${table.name}.`} height="half" local={{ ...table, rows_in_all: table.rows.length, rows_matching: table.rows.length }} rowKey={wholeRow} />
    </Card>
  );
}

function Difference({ store }: { store: Collection }) {
  const { params } = useRoute();
  const [base, next] = [params.getAll("base"), params.getAll("new")];
  const answer = useComparison(store.id, base, next);
  if (base.length === 0 || next.length === 0)
    return (
      <Card title="What changed">
        <p className="quiet">Choose the runs of both sides: by the value of a label, or one by one.</p>
      </Card>
    );
  return (
    <>
      <Card title="What changed" note="of an iteration, from base to new">
        <Answered answer={answer} what="what changed" rows={3}>
          {({ notes }) => <Notes notes={notes} />}
        </Answered>
      </Card>
      {!answer.error && answer.data?.tables.map((table) => <Part key={table.name} table={table} />)}
    </>
  );
}

function useRuns(store: string): KnownRun[] {
  const table = useStoreAnswer<StoreAnswer>({ store, label: [], run: [] }, "reports/runs").data?.tables[0];
  const names = ownNames(table);
  return (table ? rowsOf(table) : []).map((row) => {
    const run = row.text("run") ?? "";
    return { run, called: names.get(run) ?? `${row.text("name") ?? ""} (${shortId(run)})`, recorded: row.text("recorded") ?? "" };
  });
}

export function Comparison({ store }: { store: Collection }) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const labels = useLabels(store.id);
  const runs = useRuns(store.id);
  return (
    <div className="cards">
      <Card
        title="Which runs"
        action={
          <button
            type="button"
            className="button"
            onClick={() => {
              setParams({ base: params.getAll("new"), new: params.getAll("base") });
            }}
          >
            Swap
          </button>
        }
      >
        <div className="fleet-choices">
          <StoreChoice shown={store} />
        </div>
        <Side side="base" labels={labels} runs={runs} />
        <Side side="new" labels={labels} runs={runs} />
      </Card>
      <Difference store={store} />
    </div>
  );
}
