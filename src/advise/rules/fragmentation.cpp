#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

double gb(int64_t bytes) {
    return static_cast<double>(bytes) / 1e9;
}

Status check(Context& c) {
    OPSIGHT_ASSIGN(const auto memory, query::reserved_memory(c.session()));
    if (memory.empty()) return c.cannot("no allocations of a device's memory were recorded"), Status();
    for (const query::ReservedMemory& device : memory) {
        const int64_t unused = device.reserved - device.allocated;
        const double part = 100.0 * static_cast<double>(unused) / static_cast<double>(device.reserved);
        if (part < c.threshold("part") || gb(unused) < c.threshold("gb")) continue;
        Finding finding{
            "fragmentation", "note",
            fmt::format("{} of the memory that PyTorch holds on GPU {} no tensor ever needs at once",
                        percent(part), device.device)};
        finding.evidence = fmt::format("At their peaks {:.2f} GB are held and {:.2f} GB needed, of rank {}.",
                                       gb(device.reserved), gb(device.allocated), device.rank);
        finding.advice =
            "Holes between tensors, or what an earlier peak left: a batch that needs memory in large pieces "
            "may fail though enough is free.";
        finding.lines = "# in the environment\n" + allocator_options(c.facts());
        finding.view = "memory";
        c.add(std::move(finding));
    }
    return {};
}

// What others hold beside their tensors is reserved for programs, and no hole.
std::string lacks(const query::RunFacts& f) {
    std::string device = lacks_device_work(f);
    return device.empty() && !f.torch ? "the memory is not that of PyTorch's allocator" : device;
}

}  // namespace

Rule fragmentation_rule() {
    return {
        .id = "fragmentation",
        .looks_for = "memory that the allocator holds and tensors do not need",
        .needs = "events of PyTorch's memory with what is reserved and what is allocated",
        .thresholds = {{"part", 25, "% of what is held", "some is left over in every run"},
                       {"gb", 1, "GB", "less hardly makes an allocation fail"}},
        .bound = "",
        .confidence = "medium: what was held before the range may come from an earlier peak",
        .remedy = "Expandable segments, or larger pieces that are not split.",
        .query =
            "SELECT device, max(total_reserved) AS reserved, max(total_allocated) AS allocated FROM "
            "memory_events WHERE device IS NOT NULL GROUP BY ALL",
        .verify = "opsight advise AFTER.opsight --rule fragmentation",
        .source = "PyTorch, CUDA semantics: memory management",
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
