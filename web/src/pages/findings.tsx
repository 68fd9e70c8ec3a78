// How a finding is shown: its kind, what could be gained, and where to look.
import { Fragment } from "react";
import type { Finding } from "../api/types";
import { linkTo } from "../address/route";
import { useRoute } from "../address/useRoute";
import { formatNs, formatPercent } from "../widgets/format";
import { Icon } from "../widgets/Icon";
import { usePageOf } from "./page";

const KINDS: Record<Finding["kind"], string> = { problem: "warn", unknown: "info", fine: "yes", note: "info" };
const WORDS: Record<Finding["kind"], string> = {
  problem: "to mend",
  unknown: "not known",
  fine: "as it should be",
  note: "note",
};

// "to gain" only where it is known how much.
function wordOf({ kind, bound }: Finding): string {
  return kind === "problem" && bound ? "to gain" : WORDS[kind];
}

export function boundWords(bound: NonNullable<Finding["bound"]>, perIteration: boolean): string {
  return `at most ${formatNs(bound.ns)}${perIteration ? " per iteration" : ""} (${formatPercent(bound.pct)})`;
}

// Tables that a finding is about a part of: without a filter all of it is shown.
const LISTS = new Set(["ops", "kernels"]);

function Look({ finding }: { finding: Finding }) {
  const { params } = useRoute();
  const title = usePageOf(finding.view)?.title;
  if (title === undefined) return null;
  return (
    <a className="button small" href={linkTo(finding.view, params, { tab: finding.tab, filter: finding.filter ? [finding.filter] : null })}>
      {!finding.filter && LISTS.has(finding.view) ? `All ${title.toLowerCase()}` : `See ${title}`} <Icon name="right" size={12} />
    </a>
  );
}

// The longest stretches of what it is about, each shown with as much around it.
function Places({ finding }: { finding: Finding }) {
  const { params } = useRoute();
  const ranks = finding.places.some((each) => each.rank !== 0);
  if (finding.places.length === 0) return null;
  return (
    <p className="hint">
      Longest in the timeline:
      {finding.places.map((each) => {
        const length = each.end_ns - each.begin_ns;
        return (
          <Fragment key={`${String(each.rank)} ${String(each.begin_ns)}`}>
            {" "}
            <a
              className="button small"
              href={linkTo("timeline", params, {
                begin: Math.max(0, each.begin_ns - length),
                end: each.end_ns + length,
                of: ranks ? each.rank : null,
              })}
            >
              {formatNs(length)} at {formatNs(each.begin_ns)}
              {ranks && ` of rank ${String(each.rank)}`}
            </a>
          </Fragment>
        );
      })}
    </p>
  );
}

export function FindingHead({ finding, perIteration }: { finding: Finding; perIteration: boolean }) {
  return (
    <>
      <div className="finding-head">
        <h3>{finding.title}</h3>
        <span className={`badge ${KINDS[finding.kind]}`}>{wordOf(finding)}</span>
        {finding.bound && (
          <span className="bound" title={`Bound: ${finding.bound.formula}`}>
            {boundWords(finding.bound, perIteration)}
          </span>
        )}
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
      <Places finding={finding} />
    </>
  );
}
