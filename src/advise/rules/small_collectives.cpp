#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(
        query::Occurrences found,
        query::times_of_short_collectives(c.session(), static_cast<int64_t>(c.threshold("us") * 1000)));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share") ||
        static_cast<double>(found.count) < c.threshold("calls") * static_cast<double>(c.parts()))
        return {};
    Finding finding{"small_collectives", "problem",
                    fmt::format("Many short collectives take {} of the time", percent(share))};
    finding.evidence = fmt::format("{} of at most {:g} µs: of these their start takes most.",
                                   c.how_often(found.count, "collectives"), c.threshold("us"));
    finding.advice = "Larger buckets join them: bucket_cap_mb of DDP, or larger units that FSDP wraps.";
    finding.share_pct = share;
    finding.view = "communication";
    OPSIGHT_ASSIGN(finding.times, with_pauses(c, std::move(found.times)));
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule small_collectives_rule() {
    return {
        .id = "small_collectives",
        .looks_for =
            "collectives that are many and short: buckets that are too small (kernels of sends and receives, "
            "which are "
            "those of all-to-alls too, are left out: buckets do not join them)",
        .needs = "collectives on a device",
        .thresholds = {{"share", 3, "% of the wall clock",
                        "below, a change is lost in the noise of iterations"},
                       {"us", 60, "µs of a collective", "the start of one takes some 20 µs within a machine"},
                       {"calls", 30, "in an iteration", "fewer are not many to join"}},
        .bound = "the time of these collectives",
        .confidence = "high for the time; computation may hide some of it",
        .remedy = "Larger buckets.",
        .lines = "DistributedDataParallel(model, bucket_cap_mb=100)  # the default is 25",
        .query =
            "SELECT label, count(*) AS calls, avg(dur_ns) / 1e3 AS us FROM kernels WHERE {range} AND "
            "class = 'communication' GROUP BY ALL ORDER BY calls DESC, label",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch, DistributedDataParallel: bucket_cap_mb",
        .leaves_kernels = true,
        .lacks = lacks_collectives,
        .check = check,
    };
}

}  // namespace opsight::advise
