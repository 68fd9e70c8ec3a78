// Two runs beside each other: whether one is faster, by what, and where. The server compares them as `opsight compare` does.
import { useQuery } from "@tanstack/react-query";
import { Fragment, useMemo } from "react";
import { getJson, type ApiError } from "../api/client";
import { profileNamed, useProfileId, useProfiles } from "../api/queries";
import type { Column, ComparisonAnswer, Profile, Table } from "../api/types";
import { useCorrections, wrongChoice } from "../address/corrections";
import { linkTo } from "../address/route";
import { useRange, useRank, useRoute, useScope, useSetParams } from "../address/useRoute";
import { DataTable } from "../table/DataTable";
import { Row, wholeRow } from "../table/row";
import { useTableState } from "../table/useTableState";
import { Card } from "../widgets/Card";
import { formatProbability } from "../widgets/format";
import { Answered, Empty } from "../widgets/states";
import { sentence } from "../widgets/words";
import { DifferenceRows } from "./compare/DifferenceRows";
import { ItemFields, ITEMS, itemsOf, useItems } from "./compare/Items";
import { layerPair, type Measure } from "./compare/layers";
import { MORE_RUNS, MoreRuns, moreRuns, RunOptions } from "./compare/MoreRuns";
import { pickOf, pickOfRow } from "./compare/pick";
import { TwoIcicles } from "./compare/TwoIcicles";
import { TwoTimelines } from "./compare/TwoTimelines";
import { Waterfall } from "./compare/Waterfall";

const useComparison = (list: readonly Profile[], first: string, second: string) => {
  const { params: address } = useRoute();
  const more = { base_runs: moreRuns(address, "base_runs", list, first).ids, new_runs: moreRuns(address, "new_runs", list, second).ids };
  const params = { ...useScope(), ...useItems(), with: second, ...more };
  return useQuery<ComparisonAnswer, ApiError>({
    queryKey: [`/profiles/${first}/compare`, params],
    queryFn: ({ signal }) => getJson<ComparisonAnswer>(`/profiles/${first}/compare`, params, signal),
    retry: false,
  });
};

function Picker({ label, list, value, choose }: { label: string; list: readonly Profile[]; value: string; choose: (id: string) => void }) {
  return (
    <label className="inline-label">
      {label}
      <select
        value={value}
        onChange={(event) => {
          choose(event.target.value);
        }}
      >
        <RunOptions list={list} />
      </select>
    </label>
  );
}


function probability(row: Row, column: Column): string | undefined {
  const p = column.key === "p" ? row.number("p") : null;
  return p === null ? undefined : formatProbability(p);
}

// One press for what people look for most; the filters of the table do the rest.
function RealOnly({ prefix }: { prefix: string }) {
  const [state, change] = useTableState(prefix);
  const on = state.filters.some(({ key, op, value }) => key === "verdict" && op === "eq" && value === "real");
  return (
    <button
      type="button"
      className="button"
      aria-pressed={on}
      onClick={() => {
        const rest = state.filters.filter(({ key }) => key !== "verdict");
        change({ filters: on ? rest : [...rest, { key: "verdict", op: "eq", value: "real" }] });
      }}
    >
      Real only
    </button>
  );
}

// The kinds of change that a table has, to show those of one kind alone.
function KindChoice({ table, prefix }: { table: Table; prefix: string }) {
  const [state, change] = useTableState(prefix);
  const at = table.columns.findIndex((column) => column.key === "kind");
  const kinds = [...new Set(table.rows.map((row) => String(row[at] ?? "")))].sort();
  if (at < 0 || kinds.length < 2) return null;
  const chosen = state.filters.find(({ key, op }) => key === "kind" && op === "eq")?.value ?? "";
  return (
    <label className="inline-label">
      Change
      <select
        value={chosen}
        onChange={(event) => {
          const rest = state.filters.filter(({ key }) => key !== "kind");
          change({ filters: event.target.value === "" ? rest : [...rest, { key: "kind", op: "eq", value: event.target.value }] });
        }}
      >
        <option value="">any</option>
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {kind}
          </option>
        ))}
      </select>
    </label>
  );
}

// A class that neither run recorded is not a difference of 0.
const toldByAny = (table: Table): Table => {
  if (table.name !== "budget") return table;
  const rows = table.rows.filter((cells) => ["base_ns", "new_ns"].some((key) => new Row(table, cells).number(key) !== null));
  return { ...table, rows, rows_in_all: rows.length };
};

const PICKED_FROM = ["layers", "ops", "kernels"];

function Changes({ table, note }: { table: Table; note: string }) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const picked = params.get("pick");
  const picks = PICKED_FROM.includes(table.name);
  const prefix = `${table.name}.`;
  // Kernels of one op stand in several rows.
  const key = (row: Row): string => (picks && table.name !== "kernels" ? (pickOfRow(row, table.name) ?? wholeRow(row)) : wholeRow(row));
  const cut = table.rows_in_all > table.rows.length;
  return (
    <Card title={table.title} note={cut ? `the first ${String(table.rows.length)} of ${String(table.rows_in_all)} rows; ${note}` : note}>
      <DataTable
        name={`compare_${table.name}`}
        label={table.title}
        prefix={prefix}
        height="half"
        local={{ ...table, rows_in_all: table.rows.length, rows_matching: table.rows.length }}
        rowKey={key}
        cell={probability}
        {...(picks && {
          selected: picked,
          onSelect: (row: Row) => {
            const pick = pickOfRow(row, table.name);
            setParams({ pick: pick === picked ? null : pick });
          },
        })}
        tools={
          table.columns.some((column) => column.key === "verdict") && (
            <>
              <RealOnly prefix={prefix} />
              <KindChoice table={table} prefix={prefix} />
            </>
          )
        }
        empty="Neither run has any."
      />
    </Card>
  );
}

const NOTES: Readonly<Record<string, string>> = {
  runs: "the median of each run: these are what the answer compares",
  budget: "each moment counts in one row; the rows add up to the difference",
  layers: "own ops of each layer; what stands against noise first",
  ops: "own time of each op; what stands against noise first",
  kernels: "by the op that launched them; what stands against noise first",
  settings: "what the recordings say of the machines and programs",
};

function Why({ causes, judged }: { causes: Table; judged: boolean }) {
  const rows = causes.rows.map((row) => new Row(causes, row));
  return (
    <Card title="Why" note={`${judged ? "what stands against noise" : "too few samples to tell noise: all that is large enough"}, the greatest first; not to be added up`}>
      {rows.length === 0 ? (
        <p>Nothing that the recordings tell of explains a difference.</p>
      ) : (
        <dl className="causes">
          {rows.map((row) => (
            <Fragment key={wholeRow(row)}>
              <dt>{(row.text("kind") ?? "").replaceAll("_", " ")}</dt>
              <dd>{sentence(row.text("text") ?? "")}</dd>
            </Fragment>
          ))}
        </dl>
      )}
    </Card>
  );
}

// Whether both sides tell of work of devices, and the time that is looked at.
function useMeasure(layers: Table): [both: boolean, measure: Measure] {
  const { params } = useRoute();
  const both = layers.columns.some((column) => column.key === "gpu_difference_ns") && layers.rows.some((row) => typeof new Row(layers, row).get("gpu_difference_ns") === "number");
  return [both, both && params.get("measure") !== "cpu" ? "gpu" : "cpu"];
}

// Both runs' layers, and what was picked in both timelines.
function Pictures({ layers, base, next }: { layers: Table; base: Profile; next: Profile }) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const [both, measure] = useMeasure(layers);
  const text = params.get("pick");
  const pick = pickOf(text);
  useCorrections([
    ...wrongChoice(params, "measure", ["gpu", "cpu"], "time", both ? "GPU time" : "CPU time"),
    ...(text !== null && !pick ? [{ key: "pick", to: null, text: `“${text}” names nothing of these runs: nothing is shown in both timelines.` }] : []),
  ]);
  const pair = useMemo(() => layerPair(layers, measure), [layers, measure]);
  return (
    <>
      <Card
        title="Layers side by side"
        note={layers.rows_in_all > layers.rows.length ? "not all of them: the first rows of the table" : "one scale; a click or the arrow keys show a layer in both timelines"}
        action={
          both && (
            <div className="choice" role="group" aria-label="Time in the picture">
              {(["gpu", "cpu"] as const).map((each) => (
                <button
                  key={each}
                  type="button"
                  className="button"
                  aria-pressed={measure === each}
                  onClick={() => {
                    setParams({ measure: each === "gpu" ? null : each });
                  }}
                >
                  {each === "gpu" ? "GPU time" : "CPU time"}
                </button>
              ))}
            </div>
          )
        }
      >
        <TwoIcicles
          pair={pair}
          what={measure === "gpu" ? "GPU time" : "CPU time"}
          picked={pick}
          pick={(picked) => {
            setParams({ pick: picked === text ? null : picked });
          }}
        />
      </Card>
      <Card title="Both timelines" note={pick ? "at the first of it in the range; to move one moves the other" : undefined}>
        {pick ? <TwoTimelines key={`${base.id} ${next.id}`} base={base} next={next} pick={pick} /> : <p>Choose a layer, or a row of the tables below.</p>}
      </Card>
    </>
  );
}

function Tree({ layers, ops, kernels }: { layers: Table; ops: Table; kernels: Table }) {
  const [, measure] = useMeasure(layers);
  return <DifferenceRows layers={layers} ops={ops} kernels={kernels} measure={measure} />;
}

function Compared({ answer, base, next }: { answer: ComparisonAnswer; base: Profile; next: Profile }) {
  const table = (name: string): Table | undefined => answer.tables.find((each) => each.name === name);
  const caveats = table("caveats");
  const budget = table("budget");
  const causes = table("causes");
  const [layers, ops, kernels] = ["layers", "ops", "kernels"].map(table);
  return (
    <div className="cards">
      <Card title="The difference" note="of medians; the bars are means, which add up">
        <p className="comparison-answer">{answer.answer.charAt(0).toUpperCase() + answer.answer.slice(1)}</p>
        {budget && <Waterfall budget={budget} />}
      </Card>
      {caveats && caveats.rows.length > 0 && (
        <Card title="Before you compare" note="what makes the two runs differ beside the change, or the numbers less sure">
          <ul className="caveats">
            {caveats.rows.map((row) => (
              <li key={row.join("~")}>{sentence(String(row[1] ?? ""))}</li>
            ))}
          </ul>
        </Card>
      )}
      {causes && <Why causes={causes} judged={answer.verdict !== "one sample" && answer.verdict !== "too few iterations"} />}
      {layers && ops && kernels && <Tree layers={layers} ops={ops} kernels={kernels} />}
      {layers && <Pictures layers={layers} base={base} next={next} />}
      {Object.entries(NOTES).map(([name, note]) => {
        const found = table(name);
        return found && <Changes key={name} table={toldByAny(found)} note={note} />;
      })}
    </div>
  );
}

function Runs({ list, first, second }: { list: readonly Profile[]; first: string; second: string }) {
  const setParams = useSetParams();
  const nameOf = (id: string) => list.find((profile) => profile.id === id)?.name ?? "";
  const comparison = useComparison(list, first, second);
  const { params } = useRoute();
  useCorrections(
    MORE_RUNS.flatMap((side) => {
      const { unknown } = moreRuns(params, side, list, side === "base_runs" ? first : second);
      const known = params.getAll(side).filter((name) => !unknown.includes(name));
      return unknown.length > 0 ? [{ key: side, to: known.length > 0 ? known : null, text: `The run “${unknown.join("”, “")}” is not here: it was left out.` }] : [];
    }),
  );
  const chosen = Object.keys(useRange()).length > 0;
  const rank = useRank();
  const over = comparison.data?.own_range
    ? "what does not have the chosen range is over its own default one"
    : chosen
      ? "both over the chosen range"
      : "each over its own default range";
  const note = rank === null ? over : `rank ${String(rank)} of each alone; ${over}`;
  return (
    <>
      <Card title="Two runs" note={note}>
        <div className="toolbar">
          <Picker
            label="Before"
            list={list}
            value={first}
            choose={(id) => {
              setParams({ profile: nameOf(id) });
            }}
          />
          <Picker
            label="After"
            list={list}
            value={second}
            choose={(id) => {
              setParams({ with: nameOf(id) });
            }}
          />
          <MoreRuns list={list} first={first} second={second} />
          <ItemFields />
          <div className="toolbar-end">
            <a href={linkTo("dashboard", new URLSearchParams({ profile: nameOf(first) }))}>Open the first</a>
            <a href={linkTo("dashboard", new URLSearchParams({ profile: nameOf(second) }))} hidden={second === first}>
              Open the second
            </a>
          </div>
        </div>
      </Card>
      <Answered answer={{ ...comparison, isPlaceholderData: false }} what="the comparison" rows={8}>
        {(answer) => {
          // Of repeated runs the one in the middle is shown.
          const [before, after] = [answer.base_shown, answer.new_shown].map((id) => list.find((profile) => profile.id === id));
          return before && after && <Compared answer={answer} base={before} next={after} />;
        }}
      </Answered>
    </>
  );
}

export function ComparePage() {
  const profiles = useProfiles().data?.profiles.filter((profile) => profile.state === "ok") ?? [];
  const first = useProfileId();
  const { params } = useRoute();
  const other = profiles.find((profile) => profile.id !== first);
  const wanted = params.get("with");
  const missing = wanted !== null && other !== undefined && !profileNamed(profiles, wanted);
  useCorrections(
    ITEMS.flatMap((key) => {
      const given = params.get(key);
      return given === null || itemsOf(given) !== null ? [] : [{ key, to: null, text: `“${given}” is not a number of items of an iteration: 1 is taken.` }];
    }),
  );
  useCorrections(missing ? [{ key: "with", to: null, text: `The run “${wanted}” is not here: ${other.name} is shown beside the first.` }] : []);
  if (other === undefined) {
    return (
      <Empty icon="compare" title="One run alone cannot be compared">
        <p>
          Start the viewer with several files: <code>opsight view before.opsight after.opsight</code>
        </p>
      </Empty>
    );
  }
  const second = (wanted === null ? undefined : profileNamed(profiles, wanted)?.id) ?? other.id;
  return (
    <div className="cards">
      <Runs list={profiles} first={first} second={second} />
    </div>
  );
}
