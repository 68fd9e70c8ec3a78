// Choose which iterations count, and what an iteration is; keep such a choice under a name.
import { useState } from "react";
import { queries, useAggregations, useIterations } from "../api/queries";
import type { IterationsAnswer } from "../api/types";
import { useCorrections, wrongChoice } from "../address/corrections";
import { linkTo } from "../address/route";
import { useRoute } from "../address/useRoute";
import { DataTable } from "../table/DataTable";
import { Card, Notes } from "../widgets/Card";
import { Icon } from "../widgets/Icon";
import { Answered, Empty } from "../widgets/states";
import { Suggested } from "./dashboard/IterationCard";
import { boundsOf, IterationChart, ShareLegend, type Bounds } from "./iterations/Chart";
import { CutControls } from "./iterations/CutControls";
import { KeptRanges } from "./iterations/KeptRanges";
import { pickRank, RankPicker } from "./iterations/rank";
import { Reaggregate } from "./iterations/Reaggregate";
import { rowLink } from "./links";
import { TimelineLink } from "../table/timelineLinks";

function Badge({ name, value }: { name: string; value: string | number }) {
  return (
    <div className="figure">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Chosen({ data }: { data: IterationsAnswer }) {
  const { params } = useRoute();
  const { range } = data;
  const [draft, setDraft] = useState<Bounds | null>(null);
  const choice = pickRank(data.ranks, params.get("rank"));
  const { ranks, rank } = choice;
  useCorrections(wrongChoice(params, "rank", ranks.map((each) => String(each.rank)), "rank", `rank ${String(rank)}`));
  const list = data.iterations.filter((each) => each.rank === rank);
  const bounds = draft ?? boundsOf(range);
  return (
    <div className="cards">
      <Card
        title="Range"
        note={range.description}
        action={<RankPicker choice={choice} />}
      >
        <dl className="figures">
          <Badge name="In all" value={range.total} />
          <Badge name="In the range" value={range.selected} />
          <Badge name="First" value={range.start ?? "–"} />
          <Badge name="Last" value={range.stop ?? "–"} />
        </dl>
        <CutControls />
        {list.length > 0 && bounds ? (
          <>
            <IterationChart list={list} height={250} bounds={bounds} onBounds={setDraft} />
            <ShareLegend list={list} />
            <Reaggregate
              key={`${String(range.start)} ${String(range.stop)}`}
              list={list}
              range={range}
              bounds={bounds}
              changed={draft !== null}
              setBounds={setDraft}
              done={() => {
                setDraft(null);
              }}
            />
          </>
        ) : (
          <Empty icon="iterations" title="No iterations were found">
            {data.suggested && (
              <p>
                <Suggested suggested={data.suggested} />
              </p>
            )}
            Choose an op or a range that ends each iteration, or a pattern of range names, above. Until then all numbers are about the
            whole profile.
          </Empty>
        )}
        {list.length > 0 && data.suggested && (
          <p className="hint">
            These iterations are a guess from the kernels. <Suggested suggested={data.suggested} />
          </p>
        )}
        <Notes notes={range.notes} />
      </Card>
    </div>
  );
}

function OfTheRange() {
  const { params } = useRoute();
  return (
    <section className="below" aria-label="Table of iterations">
      <h2>The iterations of the range</h2>
      <DataTable
        name="iterations"
        label="Iterations"
        height="half"
        bars={{ duration_ns: "gpu" }}
        rowKey={(row) => `${row.text("rank") ?? ""}~${row.text("iteration") ?? ""}`}
        link={rowLink(params, "iterations")}
        actions={(row) => (
          <>
            <TimelineLink row={row} small />
            <a
              className="icon-button"
              aria-label="Its kernels"
              title="Its kernels"
              href={linkTo("by-iteration", params, { sel: `${row.text("iteration") ?? ""}~${row.text("rank") ?? ""}` })}
            >
              <Icon name="kernels" size={14} />
            </a>
          </>
        )}
      />
    </section>
  );
}

export function IterationsPage() {
  const kept = useAggregations().data;
  const answer = useIterations();
  return (
    <>
      <Answered answer={answer} what="the iterations" rows={10}>
        {(data) => <Chosen key={JSON.stringify(data.range)} data={data} />}
      </Answered>
      {kept && kept.aggregations.length > 0 && (
        <KeptRanges
          answer={kept}
          changed={() => {
            void queries.invalidateQueries({ predicate: (query) => String(query.queryKey[0]).endsWith("/aggregations") });
          }}
        />
      )}
      {answer.data && answer.data.iterations.length > 0 && <OfTheRange />}
    </>
  );
}
