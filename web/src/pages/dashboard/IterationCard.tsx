import { useIterations } from "../../api/queries";
import { linkTo } from "../../app/route";
import { useRoute } from "../../app/useRoute";
import { Card } from "../../widgets/Card";
import { Answered } from "../../widgets/states";
import { boundsOf, IterationChart, ShareLegend } from "../iterations/Chart";

// The iterations of the first rank, those in the range and those around it.
export function IterationCard() {
  const { params } = useRoute();
  return (
    <Card title="Iterations" action={<a href={linkTo("iterations", params)}>Choose the range</a>}>
      <Answered answer={useIterations()} what="the iterations">
        {({ iterations, range }) => {
          const rank = iterations[0]?.rank;
          const list = iterations.filter((each) => each.rank === rank);
          if (list.length === 0) {
            return (
              <p className="hint">
                No iterations were found in this profile. <a href={linkTo("iterations", params)}>Choose an op or a range name that ends them.</a>
              </p>
            );
          }
          return (
            <>
              <IterationChart list={list} height={150} bounds={boundsOf(range)} />
              <ShareLegend list={list} />
            </>
          );
        }}
      </Answered>
    </Card>
  );
}
