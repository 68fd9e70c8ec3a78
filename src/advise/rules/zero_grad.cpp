#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found,
                   query::times_of_annotations(c.session(), "^Optimizer\\.zero_grad#"));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share") || found.count < c.parts()) return {};
    // With set_to_none no op writes zeros: what is left is the freeing of memory.
    OPSIGHT_ASSIGN(const query::Occurrences zeros,
                   query::times_of_ops(c.session(), {.pattern = "^aten::(zero_|_foreach_zero_)$"}));
    const int64_t within = query::length_of(found.times) + query::length_of(zeros.times) -
                           query::length_of(query::united(found.times, zeros.times));
    if (10 * within < query::length_of(found.times)) return {};
    Finding finding{"zero_grad", "problem",
                    fmt::format("Setting gradients to zero takes {} of the time", percent(share))};
    finding.evidence = c.how_often(found.count, "calls of Optimizer.zero_grad") + ".";
    finding.advice =
        "set_to_none=True (the default since PyTorch 2) frees gradients in place of writing zeros, which the "
        "next backward pass would read again.";
    finding.share_pct = share;
    finding.view = "ranges";
    finding.filter = "range:contains:Optimizer.zero_grad";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    std::string why = lacks_torch_ops(f);
    return !why.empty() || f.recorded.zero_grads ? why : "no ranges of Optimizer.zero_grad were recorded";
}

}  // namespace

Rule zero_grad_rule() {
    return {
        .id = "zero_grad",
        .looks_for = "gradients that are written as zeros",
        .needs = "ops, and PyTorch's ranges of Optimizer.zero_grad",
        .thresholds = {{"share", 2, "% of the wall clock", "with set_to_none it takes next to nothing"}},
        .bound = "the time in which Optimizer.zero_grad is open",
        .confidence = "high: the range says what is done",
        .remedy = "Free gradients.",
        .lines = "optimizer.zero_grad(set_to_none=True)",
        .query =
            "SELECT name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM annotations WHERE {range} AND name "
            "LIKE 'Optimizer.zero_grad%' GROUP BY ALL",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch performance tuning guide",
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
