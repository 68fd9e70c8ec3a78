// All advice: each finding with its bound, what to change, its evidence and how to verify it.
import { useFindings } from "../api/queries";
import type { Finding } from "../api/types";
import { Card } from "../widgets/Card";
import { formatNs } from "../widgets/format";
import { Answered } from "../widgets/states";
import { boundWords, FindingHead } from "./findings";

// The rules that each reason keeps, in the order of the first.
function byReason(all: { rule: string; why: string }[]): [string, string[]][] {
  const reasons = new Map<string, string[]>();
  for (const { rule, why } of all) reasons.set(why, [...(reasons.get(why) ?? []), rule]);
  return [...reasons];
}

function Details({ finding }: { finding: Finding }) {
  const rows: [string, string, boolean][] = [
    ["Bound", finding.bound?.formula ?? "", false],
    ["Confidence", finding.confidence, false],
    ["Lines to change", finding.lines, true],
    ["Evidence (opsight sql)", finding.query, true],
    ["Verify", finding.verify, true],
  ];
  return (
    <dl className="finding-facts">
      {rows
        .filter(([, text]) => text !== "")
        .map(([name, text, code]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{code ? <pre>{text}</pre> : text}</dd>
          </div>
        ))}
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
