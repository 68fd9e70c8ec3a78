// What to look at first, as the server finds it: each with its share of the wall clock and what it rests on.
import { useFindings } from "../../api/queries";
import type { Finding } from "../../api/types";
import { linkTo } from "../../address/route";
import { useRoute } from "../../address/useRoute";
import { Icon } from "../../widgets/Icon";
import { usePageOf } from "../page";

const KINDS: Record<Finding["kind"], string> = { problem: "warn", unknown: "info", fine: "yes" };
const WORDS: Record<Finding["kind"], string> = { problem: "to gain", unknown: "not known", fine: "as it should be" };

function Look({ finding }: { finding: Finding }) {
  const { params } = useRoute();
  const title = usePageOf(finding.view)?.title;
  if (title === undefined) return null;
  return (
    <a className="button small" href={linkTo(finding.view, params, { tab: finding.tab })}>
      See {title} <Icon name="right" size={12} />
    </a>
  );
}

function Item({ finding }: { finding: Finding }) {
  return (
    <li>
      <div className="finding-head">
        <h3>{finding.title}</h3>
        <span className={`badge ${KINDS[finding.kind]}`}>{WORDS[finding.kind]}</span>
        <Look finding={finding} />
      </div>
      <p>
        {finding.evidence} {finding.advice}
        {finding.reading.map((each) => (
          <span key={each.address}>
            {" "}
            <a href={each.address} target="_blank" rel="noreferrer">
              {each.title}
            </a>
          </span>
        ))}
      </p>
    </li>
  );
}

const SHOWN = 3;

export function Findings() {
  const found = useFindings().data?.findings;
  if (!found || found.length === 0) return null;
  const more = found.slice(SHOWN);
  return (
    <section className="card findings span-12" aria-label="Where to look first">
      <h2>Where to look first</h2>
      <ol>
        {found.slice(0, SHOWN).map((each) => (
          <Item key={each.id} finding={each} />
        ))}
      </ol>
      {more.length > 0 && (
        <details>
          <summary>{more.length} more</summary>
          <ol start={SHOWN + 1}>
            {more.map((each) => (
              <Item key={each.id} finding={each} />
            ))}
          </ol>
        </details>
      )}
    </section>
  );
}
