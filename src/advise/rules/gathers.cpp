#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(const query::Occurrences gathers, query::times_of_kernels(c.session(), "(?i)all_?gather"));
    if (gathers.count < c.parts()) return {};
    OPSIGHT_ASSIGN(const query::Occurrences compute,
                   query::times_of(c.session(), query::Activity::kComputeKernels));
    OPSIGHT_ASSIGN(const query::TimeSpans without, query::times_without(c.session(), compute.times));
    query::TimeSpans exposed = query::common(gathers.times, without);
    const double share = c.share_of(exposed);
    if (share < c.threshold("share")) return {};
    Finding finding{"gathers", "problem",
                    fmt::format("All-gathers that no computation hides take {} of the time", percent(share))};
    finding.evidence = c.how_often(gathers.count, "all-gathers") + ".";
    finding.advice =
        "Ask for the parameters of the next layers before they are needed: FSDP's forward_prefetch and "
        "backward_prefetch, limit_all_gathers where memory allows; DeepSpeed's prefetch_bucket_size.";
    finding.share_pct = share;
    finding.view = "communication";
    OPSIGHT_ASSIGN(finding.times, with_pauses(c, std::move(exposed)));
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule gathers_rule() {
    return {
        .id = "gathers",
        .looks_for = "all-gathers of parameters that are not asked for ahead",
        .needs = "collectives on a device",
        .thresholds = {{"share", 5, "% of the wall clock", "what takes less is hardly a headline"}},
        .bound = "the time of all-gathers beside which no other kernel runs",
        .confidence = "high for the time; waiting for other ranks is part of it",
        .remedy = "Prefetch parameters.",
        .lines =
            "FullyShardedDataParallel(model, forward_prefetch=True, "
            "backward_prefetch=BackwardPrefetch.BACKWARD_PRE)",
        .query =
            "SELECT label, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM kernels WHERE {range} AND "
            "name ILIKE '%gather%' GROUP BY ALL ORDER BY ms DESC, label",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch, FullyShardedDataParallel: prefetching",
        .leaves_kernels = true,
        .lacks = lacks_collectives,
        .check = check,
    };
}

}  // namespace opsight::advise
