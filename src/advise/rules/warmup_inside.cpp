#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(const auto counted, query::warmup_in_range(c.session()));
    const auto [warmup, iterations] = counted;
    if (warmup == 0) return {};
    Finding finding{"warmup_inside", "note",
                    fmt::format("{} of {} iterations of the range warm up", warmup, iterations)};
    finding.evidence = "What they allocate, compile and try once is in every average of the range.";
    finding.advice = "Leave them out: without --all, --iter-start and --iter-stop Opsight does.";
    finding.view = "iterations";
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule warmup_inside_rule() {
    return {
        .id = "warmup_inside",
        .looks_for = "iterations that warm up within the range",
        .needs = "iterations",
        .thresholds = {},
        .bound = "",
        .confidence = "medium: how warm-up is told, docs/metrics.md says",
        .remedy = "Leave them out.",
        .query = "SELECT rank, iteration, warmup, dur_ns / 1e6 AS ms FROM iterations WHERE {range}",
        .verify = "opsight advise RUN",
        .source = "docs/metrics.md",
        .lacks = lacks_iterations,
        .check = check,
    };
}

}  // namespace opsight::advise
