#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found,
                   query::times_of_annotations(c.session(), "^TorchDynamo Cache Lookup$"));
    if (found.count == 0) return c.cannot("no look-ups of compiled code were recorded"), Status();
    OPSIGHT_ASSIGN(found.times, host_times(c, std::move(found.times)));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{"guards", "problem",
                    fmt::format("Guards of compiled code are checked in {} of the time", percent(share))};
    finding.evidence = c.how_often(found.count, "look-ups of compiled code") +
                       ", each of which checks whether its assumptions still hold.";
    finding.advice =
        "Fewer, larger compiled regions are looked up less often; many versions of one function, made anew "
        "for other shapes or values, are tried one after the other.";
    finding.share_pct = share;
    finding.view = "timeline";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    return f.compiled ? "" : "nothing is compiled by torch.compile";
}

}  // namespace

Rule guards_rule() {
    return {
        .id = "guards",
        .looks_for = "time in which torch.compile looks up its code and checks guards",
        .needs = "ranges of torch.compile",
        .thresholds = {{"share", 3, "% of the wall clock",
                        "below, a change is lost in the noise of iterations"}},
        .bound = "the time in which code is looked up, or in which no device works where that is less",
        .confidence = "high: PyTorch's own ranges",
        .remedy = "Fewer look-ups, and fewer versions of a function.",
        .lines = "torch._dynamo.mark_dynamic(x, 0)  # a size that changes: one version in place of many",
        .query =
            "SELECT name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM annotations WHERE {range} AND name "
            "= 'TorchDynamo Cache Lookup' GROUP BY ALL",
        .verify = "TORCH_LOGS=guards,recompiles python train.py",
        .source = "PyTorch, torch.compile troubleshooting: guards and recompilations",
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
