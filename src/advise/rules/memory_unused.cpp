#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(const auto held, query::device_memory(c.session()));
    if (held.empty())
        return c.cannot("how much memory was reserved, or the size of a device's, was not recorded"),
               Status();
    for (const query::HeldMemory& device : held) {
        const double part = 100.0 * static_cast<double>(device.held) / static_cast<double>(device.bytes);
        if (part >= c.threshold("part")) continue;
        Finding finding{
            "memory_unused", "note",
            fmt::format("At most {} of the memory of GPU {} are in use", percent(part), device.device)};
        finding.evidence =
            fmt::format("{:.2f} of {:.2f} GB, of rank {}.", static_cast<double>(device.held) / 1e9,
                        static_cast<double>(device.bytes) / 1e9, device.rank);
        finding.advice = "A larger batch would fit; whether it is faster, a second run tells.";
        finding.view = "memory";
        c.add(std::move(finding));
    }
    return {};
}

}  // namespace

Rule memory_unused_rule() {
    return {
        .id = "memory_unused",
        .looks_for = "device memory that is not used",
        .needs = "events of memory with the total that is reserved, and the size of the memory",
        .thresholds = {{"part", 25, "% of the device memory",
                        "four times the batch could fit; DLProf has such a rule"}},
        .bound = "",
        .confidence = "high for the memory, low for what a larger batch brings",
        .remedy = "A larger batch.",
        .lines = "",
        .query =
            "SELECT device, max(total_reserved) / 1e9 AS gb FROM memory_events WHERE device IS NOT NULL "
            "GROUP BY ALL",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "DLProf",
        .lacks = lacks_device_work,
        .check = check,
    };
}

}  // namespace opsight::advise
