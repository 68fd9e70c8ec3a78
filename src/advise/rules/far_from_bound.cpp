#include <fmt/format.h>

#include "advise/rules/rules.h"
#include "query/reports/advice_work.h"

namespace opsight::advise {
namespace {

std::string told(const query::FarWork& far, Context& c) {
    const query::FarOp& op = *far.farthest;
    const int64_t all_ns = std::max<int64_t>(query::length_of(far.beyond.times), 1);
    return fmt::format(
        "{} is {}{}: its kernels take {} {}, and {} would do for its {}, {} of that.",
        2 * (op.ns - op.bound_ns) >= all_ns ? "Most of it" : "The largest part", op.name,
        op.shapes.empty() ? "" : " " + op.shapes, milliseconds(op.ns / c.parts()), c.of_a_part(),
        milliseconds(op.bound_ns / c.parts()), op.math ? "arithmetic" : "traffic of memory",
        percent(100 * static_cast<double>(op.bound_ns) / static_cast<double>(std::max<int64_t>(op.ns, 1))));
}

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::FarWork far,
                   query::work_far_from_bound(c.session(), c.threshold("reached"),
                                              static_cast<int64_t>(c.threshold("us") * 1000)));
    const double share = c.share_of(far.beyond.times);
    if (!far.farthest || share < c.threshold("share")) return {};
    Finding finding{"far_from_bound", "problem",
                    fmt::format("Kernels far from their bounds take {} of {} beyond these", percent(share),
                                c.the_time())};
    finding.evidence = c.how_often(far.beyond.count, "such kernels") + ". " + told(far, c);
    finding.advice =
        "See in the roofline which limit they miss, and why: sizes that fit the hardware badly, layouts, "
        "too little work at once, or a kernel that another library has better.";
    finding.share_pct = share;
    finding.view = "ops";
    finding.times = std::move(far.beyond.times);
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    std::string why = lacks_device_work(f);
    return !why.empty() || f.recorded.bounds_of_work ? why
                                                     : "of no kernel it is known what its work needs: shapes "
                                                       "of ops, or the device's peaks, are missing";
}

}  // namespace

Rule far_from_bound_rule() {
    return {
        .id = "far_from_bound",
        .looks_for = "ops whose kernels take much longer than arithmetic and memory need for their work",
        .needs = "work of a device, shapes of ops, and a device of which the peaks are known",
        .thresholds =
            {{"share", 10, "% of the wall clock", "no run is at its bounds"},
             {"reached", 30, "% of the bound",
              "from 70 % on a limit counts as reached (docs/metrics.md); below 30 % neither is near"},
             {"us", 50, "µs of a kernel", "shorter ones are bound by their start"}},
        .bound = "what these kernels take beyond the bound of their work",
        .confidence =
            "medium: the work is counted from shapes, and what a kernel could reach is less than a peak",
        .remedy = "Look at the roofline.",
        .query =
            "SELECT w.name, w.precision, sum(s.time_ns) / 1e6 AS ms, sum(s.share * w.bound_ns) / 1e6 "
            "AS bound_ms FROM raw.work_stats s JOIN works w ON w.id = s.work JOIN ranks r ON r.id = s.rank "
            "WHERE "
            "{range:r.rank} AND w.bound_ns > 0 GROUP BY ALL ORDER BY ms - bound_ms DESC, w.name, w.precision "
            "LIMIT 20",
        .verify = "opsight report AFTER.opsight --report roofline",
        .source = "Williams et al., Roofline (2009); docs/metrics.md, counted work",
        .gives_way_to = {"tensor_cores", "layout_conversions", "double_precision", "misaligned_sizes",
                         "small_grids", "wave_tails", "low_occupancy", "convolution_trials",
                         "elementwise_chains", "contiguous_copies", "unfused_attention"},
        .of_durations = true,
        .of_kernels = true,
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
