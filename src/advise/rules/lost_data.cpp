#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(const std::vector<query::Loss> losses, query::lost_data(c.session()));
    if (losses.empty()) return {};
    Finding finding{"lost_data", "unknown",
                    "Part of the recording was lost: what is missing counts in no number"};
    for (const query::Loss& loss : losses)
        finding.evidence += fmt::format("{}{}, {} time{}", finding.evidence.empty() ? "" : "; ", loss.key,
                                        loss.count, loss.count == 1 ? "" : "s");
    finding.evidence += ".";
    finding.advice = losses.front().help;
    finding.view = "diagnostics";
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule lost_data_rule() {
    return {
        .id = "lost_data",
        .looks_for = "recordings that are cut or incomplete",
        .needs = "",
        .thresholds = {},
        .bound = "",
        .confidence = "high: each loss is counted",
        .remedy = "Record again.",
        .query = "SELECT key, count, help FROM diagnostics WHERE severity IN ('data_loss', 'error')",
        .verify = "opsight info RUN",
        .source = "docs/FORMATS.md",
        .lacks = lacks_nothing,
        .check = check,
    };
}

}  // namespace opsight::advise
