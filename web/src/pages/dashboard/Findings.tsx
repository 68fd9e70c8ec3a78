// What to look at first, as the server finds it: each with what it could save at most and what it rests on.
import { useFindings } from "../../api/queries";
import { FindingHead } from "../findings";

const SHOWN = 3;

export function Findings() {
  const answer = useFindings().data;
  const found = answer?.findings;
  if (!answer || !found || found.length === 0) return null;
  const more = found.slice(SHOWN);
  const items = (list: typeof found) =>
    list.map((each) => (
      <li key={each.id}>
        <FindingHead finding={each} perIteration={answer.iterations > 0} />
      </li>
    ));
  return (
    <section className="card findings span-12" aria-label="Where to look first">
      <h2>Where to look first</h2>
      <ol>{items(found.slice(0, SHOWN))}</ol>
      {more.length > 0 && (
        <details>
          <summary>{more.length} more</summary>
          <ol start={SHOWN + 1}>{items(more)}</ol>
        </details>
      )}
    </section>
  );
}
