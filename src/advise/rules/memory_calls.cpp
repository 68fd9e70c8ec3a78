#include <fmt/format.h>

#include "advise/rules/rules.h"
#include "model/api_calls.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    if (!c.session().contents().calls)
        return c.cannot("no calls of the device's API were recorded"), Status();
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of_calls(c.session(), kMemoryCalls));
    // While the device works such a call waits, and what is lost shows later.
    query::TimeSpans lost = found.times;
    if (c.facts().device_work) {
        OPSIGHT_ASSIGN(const query::TimeSpans idle, idle_times(c));
        lost = query::common(found.times, idle);
    }
    const double share = c.share_of(lost);
    if (share < c.threshold("share") || found.count < c.parts()) return {};
    Finding finding{"memory_calls", "problem",
                    fmt::format("Memory of the device is allocated and freed in {} of the time{}",
                                percent(share), c.facts().device_work ? ", while it does nothing" : "")};
    finding.evidence = c.how_often(found.count, "calls that allocate or free") +
                       fmt::format(", {} in all.", milliseconds(query::length_of(found.times) / c.parts()));
    finding.advice =
        c.facts().torch
            ? "PyTorch keeps freed memory for the next tensor unless its cache is switched off or the device "
              "is nearly full."
            : "Memory that is allocated once, before the loop, or taken from a pool spares these calls.";
    if (c.facts().torch)
        finding.lines =
            fmt::format("# in the environment\nunset {}  # where it is set\n{}  # where memory is fragmented",
                        c.facts().vendor == query::Vendor::kAmd
                            ? "PYTORCH_NO_HIP_MEMORY_CACHING PYTORCH_NO_CUDA_MEMORY_CACHING"
                            : "PYTORCH_NO_CUDA_MEMORY_CACHING",
                        allocator_options(c.facts()));
    finding.share_pct = share;
    finding.view = "timeline";
    OPSIGHT_ASSIGN(finding.times, host_times(c, std::move(found.times)));
    if (tell_lost_work(c.facts(), finding)) finding.times.clear();  // it may have run meanwhile
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    std::string why = lacks_device_work(f);
    return why.empty() ? lacks_iterations(f) : why;
}

}  // namespace

Rule memory_calls_rule() {
    return {
        .id = "memory_calls",
        .looks_for = "allocation of device memory within iterations",
        .needs = "iterations",
        .thresholds = {{"share", 3, "% of the wall clock",
                        "below, a change is lost in the noise of iterations"}},
        .bound = "the time in which such calls are open, or in which no device works where that is less",
        .confidence = "high: each call is recorded",
        .remedy = "Allocate before the loop, or from a pool.",
        .lines =
            "# in the environment\nunset PYTORCH_NO_CUDA_MEMORY_CACHING  # where it is set\n"
            "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True  # where memory is fragmented",
        .query =
            "SELECT name, op_name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM api_calls WHERE "
            "{range} AND regexp_matches(name, '{memory_calls}') GROUP BY ALL ORDER BY ms DESC, name, op_name "
            "LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "CUDA C++ best practices guide; PyTorch, CUDA semantics",
        .leaves_kernels = true,
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
