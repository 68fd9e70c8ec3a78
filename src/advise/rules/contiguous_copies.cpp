#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found,
                   query::times_of_ops(
                       c.session(),
                       {.pattern = "^aten::contiguous$", .device = c.facts().device_work, .kernels = true}));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share") || found.count < c.parts()) return {};
    Finding finding{
        "contiguous_copies", "problem",
        fmt::format("Copying tensors to make them contiguous takes {} of the time", percent(share))};
    finding.evidence = c.how_often(found.count, c.facts().device_work ? "kernels below aten::contiguous"
                                                                      : "calls of aten::contiguous") +
                       ".";
    finding.advice =
        "Ops that take strides, another order of dimensions from the start, or a permute that is undone "
        "later spare the copies.";
    finding.share_pct = share;
    finding.view = "ops";
    finding.filter = "op_name:eq:aten::contiguous";
    OPSIGHT_ASSIGN(finding.times, with_pauses(c, std::move(found.times)));
    if (c.facts().device_work) {  // the host is spared its part, too
        OPSIGHT_ASSIGN(query::Occurrences calls,
                       query::times_of_ops(c.session(), {.pattern = "^aten::contiguous$"}));
        OPSIGHT_ASSIGN(const query::TimeSpans own, host_times(c, std::move(calls.times)));
        finding.times = query::united(finding.times, own);
    }
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule contiguous_copies_rule() {
    return {
        .id = "contiguous_copies",
        .looks_for = "copies of tensors that are not contiguous",
        .needs = "ops",
        .thresholds = {{"share", 3, "% of the wall clock",
                        "below, a change is lost in the noise of iterations"}},
        .bound = "the time of these copies, and of the calls that make them",
        .confidence = "medium: an op that needs contiguous input may be slower without",
        .remedy = "Choose the layout once.",
        .lines = "",
        .query =
            "SELECT layer, shapes, stack, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM ops WHERE "
            "{range} AND name = 'aten::contiguous' GROUP BY ALL ORDER BY ms DESC, layer, shapes, "
            "stack LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch performance tuning guide",
        .lacks = lacks_torch_ops,
        .check = check,
    };
}

}  // namespace opsight::advise
