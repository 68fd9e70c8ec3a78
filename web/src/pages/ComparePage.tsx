// Two runs beside each other: whether one is faster, by what, and where. The server compares them as `opsight compare` does.
import { useQuery } from "@tanstack/react-query";
import { getJson, type ApiError } from "../api/client";
import { profileNamed, useProfileId, useProfiles } from "../api/queries";
import type { Column, ComparisonAnswer, Profile, Table } from "../api/types";
import { useCorrections } from "../address/corrections";
import { linkTo } from "../address/route";
import { useRange, useRoute, useSetParams } from "../address/useRoute";
import { DataTable } from "../table/DataTable";
import type { Row } from "../table/row";
import { Card } from "../widgets/Card";
import { Answered, Empty } from "../widgets/states";
import { sentence } from "../widgets/words";
import { Waterfall } from "./compare/Waterfall";

const useComparison = (first: string, second: string) => {
  const params = { ...useRange(), with: second };
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
        {list.map((profile) => (
          <option key={profile.id} value={profile.id}>
            {profile.name}
          </option>
        ))}
      </select>
    </label>
  );
}

const wholeRow = (row: Row): string => row.cells.join("~");

// Two places, as of other numbers, would show it as none.
function probability(row: Row, column: Column): string | undefined {
  const p = column.key === "p" ? row.number("p") : null;
  return p === null ? undefined : p < 1e-4 ? "< 0.0001" : p.toFixed(4);
}

// What a reader looks for: the name, what changed, by how much, and whether that is noise.
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  budget: ["name", "base_ns", "new_ns", "difference_ns", "difference_pct", "verdict", "p"],
  layers: ["layer", "kind", "gpu_difference_ns", "base_gpu_ns", "new_gpu_ns", "cpu_difference_ns", "verdict", "evidence"],
  ops: ["op", "kind", "gpu_difference_ns", "base_gpu_ns", "new_gpu_ns", "cpu_difference_ns", "verdict", "evidence", "layer"],
  kernels: ["kernel", "kind", "gpu_difference_ns", "base_gpu_ns", "new_gpu_ns", "verdict", "op", "layer"],
};

function Changes({ table, note }: { table: Table; note: string }) {
  const cut = table.rows_in_all > table.rows.length;
  return (
    <Card title={table.title} note={cut ? `the first ${String(table.rows.length)} of ${String(table.rows_in_all)} rows; ${note}` : note}>
      <DataTable
        name={`compare_${table.name}`}
        label={table.title}
        prefix={`${table.name}.`}
        height="half"
        local={{ ...table, rows_in_all: table.rows.length, rows_matching: table.rows.length }}
        columns={SHOWN[table.name]}
        rowKey={wholeRow}
        cell={probability}
        empty="Neither run has any."
      />
    </Card>
  );
}

const NOTES: Readonly<Record<string, string>> = {
  budget: "each moment counts in one row; the rows add up to the difference",
  layers: "own ops of each layer; what stands against noise first",
  ops: "own time of each op; what stands against noise first",
  kernels: "by the op that launched them; what stands against noise first",
  settings: "what the recordings say of the machines and programs",
};

function Compared({ answer }: { answer: ComparisonAnswer }) {
  const table = (name: string): Table | undefined => answer.tables.find((each) => each.name === name);
  const caveats = table("caveats");
  const budget = table("budget");
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
      {Object.entries(NOTES).map(([name, note]) => {
        const found = table(name);
        return found && <Changes key={name} table={found} note={note} />;
      })}
    </div>
  );
}

function Runs({ list, first, second }: { list: readonly Profile[]; first: string; second: string }) {
  const setParams = useSetParams();
  const nameOf = (id: string) => list.find((profile) => profile.id === id)?.name ?? "";
  const comparison = useComparison(first, second);
  const chosen = Object.keys(useRange()).length > 0;
  const note = comparison.data?.own_range
    ? "the second over its own default range: it does not have the chosen one"
    : chosen
      ? "both over the chosen range"
      : "each over its own default range";
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
          <div className="toolbar-end">
            <a href={linkTo("dashboard", new URLSearchParams({ profile: nameOf(first) }))}>Open the first</a>
            <a href={linkTo("dashboard", new URLSearchParams({ profile: nameOf(second) }))} hidden={second === first}>
              Open the second
            </a>
          </div>
        </div>
      </Card>
      <Answered answer={{ ...comparison, isPlaceholderData: false }} what="the comparison" rows={8}>
        {(answer) => <Compared answer={answer} />}
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
