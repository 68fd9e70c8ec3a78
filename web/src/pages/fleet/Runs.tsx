// Runs over time: a picture by label, and the table of what it shows.
import { useCorrections, wrongChoice } from "../../address/corrections";
import { linkTo } from "../../address/route";
import { useRoute, useSetParams } from "../../address/useRoute";
import type { RunLabels, StoreAnswer, Table } from "../../api/types";
import { DataTable } from "../../table/DataTable";
import { Card, Notes } from "../../widgets/Card";
import { formatCount } from "../../widgets/format";
import { LineChart } from "../../widgets/LineChart";
import { useProfilesOfRuns, useStoreAnswer, type Choice } from "./api";
import { shortIds } from "./names";
import { FleetReport, OnlyThisRun, useFleetLink, type OfStore } from "./Reports";
import { changesIn, labelsByRun, pictureOf, tellingLabels, usualLabel } from "./runs";

const WIDE_RANGE = 30; // times the shortest: then powers of 10 have the room

function ByChoice({ by, labels }: { by: string | null; labels: readonly string[] }) {
  const setParams = useSetParams();
  if (labels.length === 0) return null;
  return (
    <label className="inline-label">
      By label
      <select
        value={by ?? "none"}
        onChange={(event) => {
          setParams({ by: event.target.value, hide: null });
        }}
      >
        <option value="none">no label</option>
        {labels.map((label) => (
          <option key={label} value={label}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

function RunsChart({ choice, profiles, table }: OfStore & { table: Table }) {
  const { params } = useRoute();
  const setParams = useSetParams();
  const answer = useStoreAnswer<RunLabels>(choice, "labels");
  const trend = useStoreAnswer<StoreAnswer>(choice, "trend");
  const labels = labelsByRun(answer.data);
  const telling = tellingLabels(labels);
  useCorrections(answer.data ? wrongChoice(params, "by", ["none", ...telling], "label that tells these runs apart", "the usual one") : []);
  const asked = params.get("by");
  const by = asked === "none" ? null : asked !== null && telling.includes(asked) ? asked : usualLabel(labels);
  const picture = pictureOf(table, labels, by);
  const log = picture.spread > WIDE_RANGE;
  if (picture.series.length === 0) return <p className="quiet">No run of these has iterations, so none has the time of one.</p>;
  return (
    <>
      <div className="chart-tools">
        <ByChoice by={by} labels={telling} />
      </div>
      <LineChart
        label="Time of an iteration by run"
        series={picture.series}
        unit="ns"
        xTicks={picture.ticks}
        xTitle="runs in the order of their recording"
        marks={changesIn(trend.data?.tables.find((each) => each.name === "changes"), picture)}
        scales={{ x: "linear", y: log ? "log" : "linear" }}
        choose={({ key }) => {
          const profile = profiles.get(key);
          if (profile !== undefined) window.location.hash = linkTo("dashboard", new URLSearchParams({ profile }));
          else setParams({ run: key, page: null });
        }}
      />
      {picture.left > 0 && <p className="hint">{formatCount(picture.left)} {picture.left === 1 ? "run has" : "runs have"} no iterations, and no mark here.</p>}
      {trend.data && <Notes notes={trend.data.notes.filter((note) => note.startsWith("iteration time"))} />}
      {log && <p className="hint">The times differ so much that the picture is logarithmic.</p>}
    </>
  );
}

// How to see a run whose profile is not here.
function AtHand({ choice }: { choice: Choice }) {
  const profiles = useProfilesOfRuns(choice);
  if (!profiles) return <p className="hint">Looking which runs have their profile here …</p>;
  if (profiles.size > 0) return null;
  return (
    <p className="hint">
      No profile of these runs is open. Given beside the store, each opens by its name: <code>opsight view STORE PROFILE</code>; where it lay is in the column Profile.
    </p>
  );
}

const FIRST = ["name", "recorded", "iteration_ns", "gpu_utilization_pct", "tensor_core_pct", "communication_pct", "idle_pct", "ranks", "device_name", "labels"];

export function Runs({ choice, profiles, table, notes }: OfStore & { table: Table; notes: readonly string[] }) {
  const link = useFleetLink(profiles);
  return (
    <div className="cards">
      <Card title="Runs over time" note="the median iteration of each, over its ranks">
        <RunsChart choice={choice} profiles={profiles} table={table} />
      </Card>
      <Card title="Runs" note={profiles.size > 0 ? "a name that is a link opens the run's own profile" : undefined}>
        <DataTable
          name="fleet_runs"
          label="Table of runs"
          prefix="runs."
          height="half"
          local={{ ...table, shown: FIRST }}
          rowKey={(row) => row.text("run") ?? ""}
          link={link}
          cell={shortIds}
          actions={(row) => <OnlyThisRun row={row} />}
          emptyTitle="No run"
          empty="The choice fits no run."
        />
        <Notes notes={notes} />
        <AtHand choice={choice} />
      </Card>
      <FleetReport choice={choice} profiles={profiles} name="labels" title="Runs by label" note="medians over the runs of each value" empty="No run has a label: fleet push takes --label NAME=VALUE." />
    </div>
  );
}
