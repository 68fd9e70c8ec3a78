#include <fmt/format.h>

#include "advise/rules/rules.h"
#include "query/reports/op_patterns.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(
        query::Occurrences found,
        query::times_of_pattern(
            c.session(), {query::OpPattern::kRepeated, static_cast<int64_t>(c.threshold("ops")), c.parts()}));
    OPSIGHT_ASSIGN(found.times, host_times(c, std::move(found.times)));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{
        "repeated_ops", "problem",
        fmt::format("The same ops one after the other, as in a loop, take {} of the time", percent(share))};
    finding.evidence = c.how_often(found.count, "calls of ops") +
                       " that one place makes again and again with tensors of the same shapes.";
    finding.advice = "One op on a tensor that holds all of them does the same work with a single call.";
    finding.share_pct = share;
    finding.view = "ops";
    // One op in place of many also spares their kernels.
    OPSIGHT_ASSIGN(
        const query::Occurrences kernels,
        query::times_of_pattern(c.session(), {query::OpPattern::kRepeated,
                                              static_cast<int64_t>(c.threshold("ops")), c.parts(), true}));
    OPSIGHT_ASSIGN(finding.times, with_pauses(c, query::united(found.times, kernels.times)));
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule repeated_ops_rule() {
    return {
        .id = "repeated_ops",
        .looks_for = "loops over rows or samples, an op for each",
        .needs = "ops",
        .thresholds = {{"share", 5, "% of the wall clock", "what takes less is hardly a headline"},
                       {"ops", 256, "in an iteration", "more than the layers of most networks"}},
        .bound =
            "the time from the first of these ops to the last of each row of them, or in which no device "
            "works where that is less; and the time of their kernels",
        .confidence = "medium: whether one op can do the work of all is not in the recording",
        .remedy = "One op on all of them.",
        .lines =
            "(inputs * factors[:, None]).mean(0)  # not torch.stack([row * f for row, f in zip(inputs, "
            "factors)]).mean(0)",
        .query =
            "SELECT name, layer, shapes, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM ops WHERE "
            "{range} AND parent_op IS NULL GROUP BY ALL ORDER BY calls DESC, name, layer, shapes "
            "LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch performance tuning guide; torch.func.vmap",
        .lacks = lacks_ops,
        .check = check,
    };
}

}  // namespace opsight::advise
