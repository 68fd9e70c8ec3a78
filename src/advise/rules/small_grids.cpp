#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of(c.session(), query::Activity::kSmallGrids));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share") || found.count < c.parts()) return {};
    Finding finding{
        "small_grids", "problem",
        fmt::format("Kernels that leave multiprocessors of the GPU empty run alone in {} of the time",
                    percent(share))};
    finding.evidence = c.how_often(found.count, "such kernels") +
                       ": each has fewer blocks than the GPU has multiprocessors.";
    finding.advice =
        "Larger batches fill the GPU; so do several small pieces of work on streams of their own, or fused "
        "into one kernel.";
    finding.share_pct = share;
    finding.view = "kernels";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule small_grids_rule() {
    return {
        .id = "small_grids",
        .looks_for = "kernels too small for the GPU",
        .needs = "grids of kernels, and the number of multiprocessors",
        .thresholds = {{"share", 10, "% of the wall clock", "some small kernels are in every run"}},
        .bound = "the time in which such kernels run alone",
        .confidence = "medium: a kernel of few, long blocks may be bound by something else",
        .remedy = "More work for each kernel.",
        .lines = "",
        .query =
            "SELECT k.label, k.grid_x, k.grid_y, k.grid_z, count(*) AS kernels, sum(k.dur_ns) / 1e6 "
            "AS ms FROM kernels k JOIN devices d ON d.rank = k.rank AND d.device = k.device WHERE "
            "{range:k.rank} AND k.class = 'compute' AND k.grid_x * greatest(k.grid_y, 1) * "
            "greatest(k.grid_z, 1) < d.sm_count GROUP BY ALL ORDER BY ms DESC, k.label, k.grid_x, "
            "k.grid_y, k.grid_z LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "NVIDIA, GPU performance background user guide",
        .of_kernels = true,
        .lacks = lacks_launch_configurations,
        .check = check,
    };
}

}  // namespace opsight::advise
