#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

// Nodes of the backward pass.
constexpr const char* kBackward = "^autograd::engine::evaluate_function|Backward[0-9]*$";

// As LBFGS runs the program's closure. A step that a node of the backward pass calls is another matter.
bool any_within(const query::TimeSpans& spans, const query::TimeSpans& outer) {
    return std::any_of(spans.begin(), spans.end(), [&outer](const query::TimeSpan& span) {
        const auto after = std::upper_bound(outer.begin(), outer.end(), span,
                                            [](const query::TimeSpan& a, const query::TimeSpan& b) {
                                                return std::tie(a.rank, a.begin) < std::tie(b.rank, b.begin);
                                            });
        return after != outer.begin() && std::prev(after)->rank == span.rank &&
               span.end <= std::prev(after)->end;
    });
}

Status check(Context& c) {
    OPSIGHT_ASSIGN(const auto counted, query::optimizer_ops(c.session()));
    const auto [ops, grouped] = counted;
    if (grouped > 0 || static_cast<double>(ops) < c.threshold("ops") * static_cast<double>(c.parts()))
        return {};
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of_annotations(c.session(), "^Optimizer\\.step#"));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    OPSIGHT_ASSIGN(const query::Occurrences backward,
                   query::times_of_ops(c.session(), {.pattern = kBackward}));
    if (any_within(backward.times, found.times))
        return c.cannot(
                   "the optimizer runs the model within its steps, whose time is not that of its updates"),
               Status();
    Finding finding{"optimizer_loop", "problem",
                    fmt::format("The optimizer takes {} of the time, tensor by tensor", percent(share))};
    finding.evidence = c.how_often(ops, "ops on single tensors within Optimizer.step") +
                       ", and none that takes many at once. The host's time; its kernels come on top.";
    finding.lines = grouped_optimizer(c.facts());
    finding.advice = c.facts().device_work ? "foreach or fused updates all parameters with a few kernels."
                                           : "fused updates all parameters in one call.";
    if (finding.lines.empty())
        finding.advice =
            "An optimizer that takes all parameters at once (in torch.optim: foreach or fused) does the same "
            "with a few kernels.";
    finding.share_pct = share;
    finding.view = "ops";
    finding.filter = "direction:eq:optimizer";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    std::string why = lacks_torch_ops(f);
    return !why.empty() || f.recorded.optimizer_steps ? why : "no ranges of Optimizer.step were recorded";
}

}  // namespace

Rule optimizer_loop_rule() {
    return {
        .id = "optimizer_loop",
        .looks_for = "optimizers that loop over parameters",
        .needs = "ops, and PyTorch's ranges of Optimizer.step",
        .thresholds = {{"share", 3, "% of the wall clock",
                        "below, a change is lost in the noise of iterations"},
                       {"ops", 100, "in an iteration", "fewer take some 0.5 ms, hardly more than as one"}},
        .bound =
            "the time in which Optimizer.step is open on the host; on a device its kernels may run later",
        .confidence = "medium: the bound leaves out kernels that run after the step has returned",
        .remedy = "foreach or fused optimizers.",
        .query =
            "SELECT name, count(*) AS calls, sum(self_ns) / 1e6 AS ms FROM ops WHERE {range} AND "
            "direction = 'optimizer' GROUP BY ALL ORDER BY ms DESC, name LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch, torch.optim: foreach and fused",
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
