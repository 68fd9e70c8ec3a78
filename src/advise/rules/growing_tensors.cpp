#include <fmt/format.h>

#include "advise/rules/rules.h"
#include "query/reports/op_patterns.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    const bool device = c.facts().device_work;
    OPSIGHT_ASSIGN(query::Occurrences found,
                   query::times_of_pattern(
                       c.session(), {query::OpPattern::kGrowing, static_cast<int64_t>(c.threshold("times")),
                                     c.parts(), device}));
    // What the loop frees lies between its ops.
    constexpr int64_t kWithinTheLoopNs = 1'000'000;
    if (!device) found.times = query::bridged(found.times, kWithinTheLoopNs);
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{
        "growing_tensors", "problem",
        fmt::format("A tensor that grows piece by piece is copied in {} of the time", percent(share))};
    finding.evidence =
        c.how_often(found.count, "calls of torch.cat") +
        ", each with a larger first tensor than the one before: all that is there is copied again.";
    finding.advice = "Make the whole tensor first and write the pieces into it, or join them all at once.";
    finding.share_pct = share;
    finding.view = "ops";
    finding.filter = "op_name:eq:aten::cat";
    OPSIGHT_ASSIGN(finding.times, with_pauses(c, std::move(found.times)));
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule growing_tensors_rule() {
    return {
        .id = "growing_tensors",
        .looks_for = "tensors that grow by concatenation",
        .needs = "ops with shapes",
        .thresholds = {{"share", 3, "% of the wall clock",
                        "below, a change is lost in the noise of iterations"},
                       {"times", 8, "in an iteration", "the copies grow by the square of this"}},
        .bound =
            "the time of these concatenations and of what lies between those in a row; on a device that of "
            "their kernels",
        .confidence = "high for the copies; one copy of each piece is left",
        .remedy = "Join once.",
        .lines =
            "out = torch.empty(rows, columns); out[at:at + n] = piece  # or torch.cat(pieces) after the loop",
        .query =
            "SELECT layer, shapes, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM ops WHERE {range} "
            "AND name = 'aten::cat' GROUP BY ALL ORDER BY ms DESC, layer, shapes LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch, KV caches of Transformers: static in place of growing",
        .lacks = lacks_shapes,
        .check = check,
    };
}

}  // namespace opsight::advise
