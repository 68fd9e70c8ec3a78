#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of(c.session(), query::Activity::kWaveTails));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{"wave_tails", "problem",
                    fmt::format("Last waves of blocks leave the GPU partly empty: {} of {}", percent(share),
                                c.the_time())};
    finding.evidence = c.how_often(found.count, "kernels whose blocks do not fill their last wave") +
                       ". An estimate: it takes all waves of a kernel to last equally long.";
    finding.advice =
        "Sizes that fill whole waves: batch sizes or tiles so that blocks are a multiple of what the GPU "
        "holds at "
        "once.";
    finding.share_pct = share;
    finding.view = "kernels";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule wave_tails_rule() {
    return {
        .id = "wave_tails",
        .looks_for =
            "kernels whose last wave of blocks leaves multiprocessors empty (tile and wave quantization)",
        .needs = "launch configurations of kernels, and limits of the device",
        .thresholds = {{"share", 10, "% of the wall clock", "a part of a wave is left over in every run"}},
        .bound =
            "the part of each kernel that its last wave would not need if it were full, waves equally long",
        .confidence = "low: an estimate; blocks of a kernel rarely all take equally long",
        .remedy = "Fill whole waves.",
        .query =
            "SELECT label, waves, tail_pct, sum(dur_ns * tail_pct) / 1e8 AS tail_ms FROM kernels "
            "WHERE {range} AND waves > 1 AND tail_pct > 0 GROUP BY ALL ORDER BY tail_ms DESC, label, "
            "waves, tail_pct LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "NVIDIA, matrix multiplication background: wave quantization",
        .of_durations = true,
        .of_kernels = true,
        .lacks = lacks_waves,
        .check = check,
    };
}

}  // namespace opsight::advise
