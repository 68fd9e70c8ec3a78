#include <fmt/format.h>

#include "advise/rules/rules.h"
#include "query/reports/op_patterns.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(
        const query::Occurrences found,
        query::times_of_pattern(c.session(), {query::OpPattern::kAnomaly,
                                              static_cast<int64_t>(c.threshold("checks")), c.parts()}));
    const double share = c.share_of(found.times);
    if (found.count == 0) return {};
    Finding finding{"anomaly_mode", "problem",
                    fmt::format("Autograd's anomaly mode is on: its checks for NaN alone take {} of the time",
                                percent(share))};
    finding.evidence =
        c.how_often(found.count, "checks in the backward pass") +
        "; the trace of calls that it keeps of each forward op often takes more, and is in the time "
        "of those ops.";
    finding.advice = "Anomaly mode is for debugging: leave it off otherwise.";
    finding.view = "ops";
    OPSIGHT_ASSIGN(query::Occurrences ops, query::times_of_ops(c.session(), {.pattern = "."}));
    OPSIGHT_ASSIGN(finding.times, host_times(c, std::move(ops.times)));
    finding.times = query::united(finding.times, found.times);
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule anomaly_mode_rule() {
    return {
        .id = "anomaly_mode",
        .looks_for = "autograd's anomaly mode left on",
        .needs = "ops",
        .thresholds = {{"checks", 3, "in an iteration", "fewer may be the program's own"}},
        .bound = "the time of the host in ops: their own, the checks, and what is kept of each forward op",
        .confidence = "high: a check after each node of the backward pass is anomaly mode's",
        .remedy = "Turn it off.",
        .lines = "torch.autograd.set_detect_anomaly(False)  # and no `with torch.autograd.detect_anomaly():`",
        .query =
            "SELECT name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM ops WHERE {range} AND "
            "direction = 'bprop' AND name IN ('aten::isnan', 'aten::any', 'aten::item') GROUP BY ALL "
            "ORDER BY ms DESC, name",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch performance tuning guide, disable debugging APIs",
        .lacks = lacks_torch_ops,
        .check = check,
    };
}

}  // namespace opsight::advise
