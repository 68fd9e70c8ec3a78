// All advice: each finding with its bound, what to change, its evidence and how to verify it.
import type { ReactNode } from "react";
import { useFindings } from "../api/queries";
import type { Finding } from "../api/types";
import { Card } from "../widgets/Card";
import { formatNs } from "../widgets/format";
import { Answered } from "../widgets/states";
import { EvidenceRows } from "./EvidenceRows";
import { boundWords, FindingHead } from "./findings";

// The rules that each reason keeps, in the order of the first.
function byReason(all: { rule: string; why: string }[]): [string, string[]][] {
  const reasons = new Map<string, string[]>();
  for (const { rule, why } of all) reasons.set(why, [...(reasons.get(why) ?? []), rule]);
  return [...reasons];
}

function Fact({ name, code = "", children }: { name: string; code?: string; children?: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {code !== "" && <pre>{code}</pre>}
        {children}
      </dd>
    </div>
  );
}

function Details({ finding }: { finding: Finding }) {
  return (
    <dl className="finding-facts">
      {finding.bound && <Fact name="Bound">{finding.bound.formula}</Fact>}
      {finding.confidence !== "" && <Fact name="Confidence">{finding.confidence}</Fact>}
      {finding.lines !== "" && <Fact name="Lines to change" code={finding.lines} />}
      {finding.query !== "" && (
        <Fact name="Evidence (opsight sql)" code={finding.query}>
          {finding.rows.rows.length > 0 && <EvidenceRows finding={finding} />}
        </Fact>
      )}
      {finding.verify !== "" && <Fact name="Verify" code={finding.verify} />}
    </dl>
  );
}

export function AdvicePage() {
  return (
    <Answered answer={useFindings()} what="the advice">
      {(advice) => (
        <div className="cards">
          <Card
            title="What to change"
            note={
              advice.combined
                ? `all together ${boundWords(advice.combined, advice.iterations > 0)} of ${formatNs(advice.wall_ns)}; bounds overlap`
                : advice.findings.length === 0 && advice.quiet.length === 0
                  ? "no rule could be asked of this recording"
                  : advice.findings.some((each) => each.bound)
                    ? "no gain is added up: the files do not fit together as one job"
                    : "nothing to gain was found"
            }
          >
            <ol className="findings advice">
              {advice.findings.map((each) => (
                <li key={each.id}>
                  <FindingHead finding={each} perIteration={advice.iterations > 0} />
                  <Details finding={each} />
                </li>
              ))}
            </ol>
          </Card>
          <Card title="Not checked" span={6} note="what the recording lacks">
            {advice.not_checked.length === 0 ? (
              <p>Every rule could be checked.</p>
            ) : (
              <ul className="inside">
                {byReason(advice.not_checked).map(([why, rules]) => (
                  <li key={why}>
                    {why}: {rules.join(", ")}
                  </li>
                ))}
              </ul>
            )}
          </Card>
          <Card title="Checked, nothing found" span={6}>
            <p>{advice.quiet.join(", ") || "none"}</p>
          </Card>
        </div>
      )}
    </Answered>
  );
}
