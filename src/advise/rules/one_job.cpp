#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

// Of all of the time, so that nothing stands before it.
Status check(Context& c) {
    const std::string& grounds = c.session().contents().not_one_job;
    if (grounds.empty()) return {};
    Finding finding{
        "one_job", "unknown",
        "These files do not fit together as one job: what is said of all of them together means little"};
    finding.evidence = grounds + ".";
    finding.share_pct = 100;
    finding.advice = "Import each run by itself; opsight compare sets two beside each other.";
    finding.view = "diagnostics";
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule one_job_rule() {
    return {
        .id = "one_job",
        .looks_for = "files that are not the ranks of one job, imported together",
        .needs = "recordings of several ranks",
        .thresholds = {},
        .bound = "",
        .confidence =
            "high where they tell their job's size or the same rank; medium where their times alone do",
        .remedy = "Import each run by itself.",
        .query = "SELECT text FROM diagnostic_places WHERE key = 'not_one_job'",
        .verify = "opsight info RUN",
        .source = "docs/metrics.md, range",
        .lacks = [](const query::RunFacts& f) -> std::string {
            return f.ranks > 1 ? "" : "only one rank was recorded";
        },
        .check = check,
    };
}

}  // namespace opsight::advise
