#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

constexpr const char* kOps =
    "^aten::(item|_local_scalar_dense|is_nonzero|nonzero|equal|masked_select|_unique2?|unique_dim|unique_"
    "consecutive)$";

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of_ops(c.session(), {.pattern = kOps}));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share") || found.count < c.parts()) return {};
    Finding finding{"scalar_reads", "problem",
                    fmt::format("Reading results back to the host takes {} of the time", percent(share))};
    finding.evidence = c.how_often(found.count, "ops such as item(), nonzero() or printing") +
                       ", each of which waits until the device has done all that is queued.";
    finding.advice =
        "Keep the value on the device and read it once, after the loop or every hundred iterations.";
    finding.share_pct = share;
    finding.view = "ops";
    OPSIGHT_ASSIGN(finding.times, host_times(c.session(), std::move(found.times)));
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule scalar_reads_rule() {
    return {
        .id = "scalar_reads",
        .looks_for = "ops that wait for a result of the device",
        .needs = "ops, and work of a device",
        .thresholds = {{"share", 3, "% of the wall clock",
                        "below, a change is lost in the noise of iterations"}},
        .bound = "the time in which such ops run on the host, or in which no device works where that is less",
        .confidence = "high for the time; what it costs depends on how much was queued",
        .remedy = "Read results once.",
        .lines = "total += loss.detach()  # not loss.item(); print(total.item()) after the loop",
        .query =
            "SELECT name, layer, stack, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM ops WHERE name ~ "
            "'aten::(item|_local_scalar_dense|is_nonzero|nonzero)' GROUP BY ALL ORDER BY ms DESC LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch performance tuning guide, avoid unnecessary CPU-GPU synchronization",
        .lacks = lacks_device_work,
        .check = check,
    };
}

}  // namespace opsight::advise
