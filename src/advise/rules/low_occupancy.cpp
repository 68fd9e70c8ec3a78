#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

std::string limiter_of(const query::Occupancy& o) {
    if (o.registers > 0 && o.registers_per_sm > 0 && o.threads_per_sm > 0 &&
        o.registers * o.threads_per_sm > o.registers_per_sm)
        return fmt::format("{} registers for each thread", o.registers);
    if (o.shared_bytes > 0 && o.shared_per_sm > 0 && o.threads > 0 &&
        o.shared_bytes * (o.threads_per_sm / o.threads) > o.shared_per_sm)
        return fmt::format("{} bytes of shared memory for each block", o.shared_bytes);
    return fmt::format("blocks of {} threads", o.threads);
}

Status check(Context& c) {
    const double pct = c.threshold("occupancy");
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of_low_occupancy(c.session(), pct));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{
        "low_occupancy", "problem",
        fmt::format("Kernels that keep few threads resident take {} of {}", percent(share), c.the_time())};
    OPSIGHT_ASSIGN(const auto most, query::lowest_occupancy(c.session(), pct));
    if (most)
        finding.evidence = fmt::format("Most of it {}: {} occupancy, limited by {}. ", most->kernel,
                                       percent(most->pct), limiter_of(*most));
    finding.evidence += c.how_often(found.count, "such kernels") + ".";
    finding.advice =
        "Fewer registers or less shared memory for each thread, or other block sizes, keep more threads "
        "resident; "
        "kernels of libraries are left as they are.";
    finding.share_pct = share;
    finding.view = "kernels";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    std::string why = lacks_waves(f);
    return !why.empty() || f.recorded.occupancy ? why : "no occupancy of kernels was recorded";
}

}  // namespace

Rule low_occupancy_rule() {
    return {
        .id = "low_occupancy",
        .looks_for = "kernels with low occupancy, and what limits it",
        .needs = "launch configurations of kernels, and limits of the device",
        .thresholds = {{"share", 10, "% of the wall clock", "some such kernels are in every run"},
                       {"occupancy", 25, "% of the threads of a multiprocessor",
                        "below, waits for memory are hardly hidden"}},
        .bound = "the time of these kernels, as if they took none",
        .confidence = "low: occupancy says how much can be hidden, not that something waits",
        .remedy = "Keep more threads resident.",
        .query =
            "SELECT label, occupancy_pct, registers_per_thread, sum(dur_ns) / 1e6 AS ms FROM kernels "
            "WHERE {range} AND class = 'compute' AND uses_tc <> 'yes' AND occupancy_pct <= 25 AND "
            "waves >= 1 AND NOT regexp_matches(lower(name), "
            "'gemm|gemv|conv|wgrad|dgrad|fprop|cutlass|attention|fmha|flash|cudnn|xmma|matmul|winograd|fft') "
            "GROUP BY ALL ORDER BY ms DESC, label, occupancy_pct, registers_per_thread LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "CUDA C++ best practices guide: occupancy",
        .of_durations = true,
        .of_kernels = true,
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
