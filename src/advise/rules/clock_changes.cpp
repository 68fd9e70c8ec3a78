#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(const auto clock, query::clock_spread(c.session()));
    if (!clock) return c.cannot("no clock of a device was sampled"), Status();
    if (clock->low <= 0) return {};
    const double times = clock->high / clock->low;
    if (100 * (times - 1) < c.threshold("part")) return {};
    Finding finding{"clock_changes", "note",
                    fmt::format("The clock of GPU {} moves: its highest tenth is {:.2f} times its lowest",
                                clock->device, times)};
    finding.evidence = fmt::format("By {} samples of {}: {:.0f} to {:.0f}.", clock->samples, clock->counter,
                                   clock->low, clock->high);
    finding.advice =
        "Times of kernels move with it: fix the clock before runs are compared, and look at power and "
        "temperature.";
    finding.lines = "nvidia-smi --lock-gpu-clocks=1410  # and --reset-gpu-clocks afterwards";
    finding.view = "timeline";
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule clock_changes_rule() {
    return {
        .id = "clock_changes",
        .looks_for = "clocks that move while the run is measured",
        .needs = "samples of the clock",
        .thresholds = {{"part", 10, "% between the lowest and the highest tenth",
                        "kernels are as much slower"}},
        .bound = "",
        .confidence = "high for the clock; what it does to a kernel depends on what binds it",
        .remedy = "Fix the clock.",
        .query = "SELECT time_ns, device, value FROM counters WHERE name ILIKE '%clock%'",
        .verify = "nvidia-smi -q -d CLOCK,PERFORMANCE",
        .source = "NVIDIA, nvidia-smi: clocks",
        .lacks = lacks_device_work,
        .check = check,
    };
}

}  // namespace opsight::advise
