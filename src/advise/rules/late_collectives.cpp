#include <fmt/format.h>

#include "advise/rules/rules.h"
#include "query/reports/rank_balance.h"

namespace opsight::advise {
namespace {

// Reductions of gradients; where the ranks were matched without what they wait in them for the last one,
// which no bucket changes. How long that was, of all ranks.
Result<int64_t> leave_waits(Context& c, query::Occurrences& reductions) {
    if (!c.facts().collectives) return 0;
    OPSIGHT_ASSIGN(const query::TimeSpans waits, query::waits_for_ranks(c.session(), true));
    OPSIGHT_ASSIGN(const query::TimeSpans moving, query::times_without(c.session(), waits));
    const int64_t all = query::length_of(reductions.times);
    reductions.times = query::common(reductions.times, moving);
    return all - query::length_of(reductions.times);
}

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences reductions,
                   query::times_of_kernels(c.session(), "(?i)all_?reduce|reduce_?scatter"));
    OPSIGHT_ASSIGN(const int64_t waited, leave_waits(c, reductions));
    const int64_t ns = query::length_of(reductions.times);
    if (reductions.count == 0 ||
        static_cast<double>(ns) < c.threshold("ms") * 1e6 * static_cast<double>(reductions.count) ||
        static_cast<double>(reductions.count) > c.threshold("calls") * static_cast<double>(c.parts()))
        return {};
    OPSIGHT_ASSIGN(const query::Occurrences compute,
                   query::times_of(c.session(), query::Activity::kComputeKernels));
    const query::TimeSpans hidden = query::common(reductions.times, compute.times);
    const double hidden_pct = 100.0 * static_cast<double>(query::length_of(hidden)) / static_cast<double>(ns);
    OPSIGHT_ASSIGN(const query::TimeSpans without, query::times_without(c.session(), compute.times));
    query::TimeSpans exposed = query::common(reductions.times, without);
    const double share = c.share_of(exposed);
    if (share < c.threshold("share") || hidden_pct >= c.threshold("hidden")) return {};
    Finding finding{
        "late_collectives", "problem",
        fmt::format("Few, long reductions of gradients begin when the rest is done: {} of the time",
                    percent(share))};
    finding.evidence = fmt::format("{}, of {} on average; {} of their time computation goes on beside them.",
                                   c.how_often(reductions.count, "reductions"),
                                   milliseconds(ns / reductions.count), percent(hidden_pct));
    if (!c.facts().collectives)
        finding.evidence +=
            " How much of that is waiting for the rank that comes last this recording does not tell.";
    else if (waited > 0)
        finding.evidence +=
            fmt::format(" Not counted: {} in which ranks wait in them for the one that comes last.",
                        percent(c.share_of(waited)));
    finding.advice =
        "Smaller buckets are sent while the backward pass makes the next ones: bucket_cap_mb of DDP, or "
        "smaller units that FSDP wraps.";
    finding.share_pct = share;
    finding.view = "communication";
    finding.times = std::move(exposed);
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule late_collectives_rule() {
    return {
        .id = "late_collectives",
        .looks_for = "reductions of gradients in buckets that are too large to go beside the backward pass",
        .needs = "collectives on a device, and a backward pass",
        .thresholds = {{"share", 5, "% of the wall clock", "what takes less is hardly a headline"},
                       {"calls", 3, "in an iteration", "of more some would go beside the backward pass"},
                       {"ms", 1, "ms of a reduction", "shorter ones gain nothing when they are split"},
                       {"hidden", 20, "% of their time beside computation",
                        "of reductions that overlap most of it goes beside"}},
        .bound =
            "the time of these reductions beside which no other kernel runs, without what ranks wait for the "
            "last one where all were recorded",
        .confidence = "medium: of a recording that does not have all ranks, waiting for others is part of it",
        .remedy = "Smaller buckets.",
        .lines = "DistributedDataParallel(model, bucket_cap_mb=10)  # the default is 25",
        .query =
            "SELECT label, collective_in_elements, count(*) AS calls, avg(dur_ns) / 1e6 AS ms FROM "
            "kernels WHERE {range} AND class = 'communication' GROUP BY ALL ORDER BY ms DESC, label, "
            "collective_in_elements",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "Li et al., PyTorch Distributed (VLDB 2020): gradient bucketing; DistributedDataParallel",
        .of_kernels = true,
        .lacks = [](const query::RunFacts& f) -> std::string {
            if (f.device_work && !f.trains) return "no backward pass was recorded";
            return lacks_collectives(f);
        },
        .check = check,
    };
}

}  // namespace opsight::advise
