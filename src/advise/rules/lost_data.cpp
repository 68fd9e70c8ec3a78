#include <fmt/format.h>

#include <algorithm>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(const std::vector<query::Loss> losses, query::lost_data(c.session()));
    if (losses.empty()) return {};
    // That nothing is known of a file explains more than what else is odd about it.
    const auto nothing = std::find_if(losses.begin(), losses.end(),
                                      [](const query::Loss& loss) { return loss.key == "nothing_known"; });
    Finding finding{"lost_data", "unknown",
                    nothing == losses.end()
                        ? "Part of the recording was lost: what is missing counts in no number"
                        : "Of a file's events none is of a kind that Opsight knows: no number holds them"};
    for (const query::Loss& loss : losses)
        finding.evidence += fmt::format("{}{}, {} time{}", finding.evidence.empty() ? "" : "; ", loss.key,
                                        loss.count, loss.count == 1 ? "" : "s");
    finding.evidence += ".";
    finding.advice = nothing == losses.end() ? losses.front().help : nothing->help;
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
        .of_no_time = true,
        .lacks = lacks_nothing,
        .check = check,
    };
}

}  // namespace opsight::advise
