import { useIterations } from "../../api/queries";
import type { IterationsAnswer } from "../../api/types";
import { linkTo } from "../../address/route";
import { useRoute } from "../../address/useRoute";
import { Card } from "../../widgets/Card";
import { Answered } from "../../widgets/states";
import { boundsOf, IterationChart, ShareLegend } from "../iterations/Chart";
import { pickRank, RankPicker } from "../iterations/rank";

// Ranges that come again and again, and so may be iterations.
export function Suggested({ suggested }: { suggested: NonNullable<IterationsAnswer["suggested"]> }) {
  const { view, params } = useRoute();
  return (
    <>
      The range “{suggested.name}” comes {suggested.count} times.{" "}
      <a href={linkTo(view, params, { iteration_range: suggested.pattern, key_op: null })}>Take each as an iteration.</a>
    </>
  );
}

// The iterations of one rank, those in the range and those around it.
export function IterationCard() {
  const { params } = useRoute();
  const answer = useIterations();
  const choice = pickRank(answer.data?.ranks ?? [], params.get("rank"));
  return (
    <Card
      title="Iterations"
      note={choice.ranks.length > 1 && `of rank ${String(choice.rank)}`}
      action={
        <>
          <RankPicker choice={choice} /> <a href={linkTo("iterations", params, { rank: params.get("rank") })}>Choose the range</a>
        </>
      }
    >
      <Answered answer={answer} what="the iterations">
        {({ iterations, suggested, range }) => {
          const list = iterations.filter((each) => each.rank === choice.rank);
          if (list.length === 0) {
            return (
              <p className="hint">
                No iterations were found in this profile. {suggested && <Suggested suggested={suggested} />}{" "}
                <a href={linkTo("iterations", params)}>Choose an op or a range name that ends them.</a>
              </p>
            );
          }
          return (
            <>
              <IterationChart list={list} height={150} bounds={boundsOf(range)} />
              <ShareLegend list={list} />
              {suggested && (
                <p className="hint">
                  These iterations are a guess from the kernels. <Suggested suggested={suggested} />
                </p>
              )}
            </>
          );
        }}
      </Answered>
    </Card>
  );
}
