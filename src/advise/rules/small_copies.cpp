#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found,
                   query::times_of_small_copies(c.session(), static_cast<int64_t>(c.threshold("bytes"))));
    // A call that waits while a kernel runs waits for that.
    OPSIGHT_ASSIGN(query::TimeSpans beside_kernels, times_without_kernels(c));
    OPSIGHT_ASSIGN(beside_kernels, without_queued(c, beside_kernels));
    const double share = c.share_of(query::common(found.times, beside_kernels));
    if (share < c.threshold("share") ||
        found.count < 2 * c.threshold("copies") * static_cast<double>(c.parts()))
        return {};
    Finding finding{
        "small_copies", "problem",
        fmt::format("Small copies from the host, and their calls, take {} of the time", percent(share))};
    finding.evidence = c.how_often(found.count, "copies and calls") +
                       fmt::format(", each copy of at most {:.0f} bytes.", c.threshold("bytes"));
    finding.advice = c.facts().torch ? std::string(
                                           "Tensors made on the device (device=...), and several small ones "
                                           "copied as one, spare them.")
                                     : std::string("Several small copies packed into one spare their calls.");
    finding.share_pct = share;
    finding.view = "recorded";
    finding.tab = "copies";
    if (tell_lost_work(c.facts(), finding)) return c.add(std::move(finding)), Status();  // it may have run
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    std::string why = lacks_device_work(f);
    return !why.empty() || f.recorded.sizes_of_copies ? why : "no copies with their sizes were recorded";
}

}  // namespace

Rule small_copies_rule() {
    return {
        .id = "small_copies",
        .looks_for = "many small copies to the device",
        .needs = "copies with their sizes",
        .thresholds = {{"share", 3, "% of the wall clock",
                        "below, a change is lost in the noise of iterations"},
                       {"bytes", 65536, "bytes", "a call takes about as long as 64 KiB take on PCIe"},
                       {"copies", 10, "in an iteration", "fewer are not many"}},
        .bound = "the time in which such copies run or their calls are open",
        .confidence = "high: each copy is recorded",
        .remedy = "Make tensors on the device, or pack them.",
        .lines = "mask = torch.ones(n, device=device)  # not torch.ones(n).to(device)",
        .query =
            "SELECT op_name, bytes, count(*) AS copies, sum(dur_ns) / 1e6 AS ms FROM memcpys WHERE "
            "{range} AND copy_kind = 'HtoD' AND bytes <= 65536 GROUP BY ALL ORDER BY copies DESC, "
            "op_name, bytes LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "CUDA C++ best practices guide",
        .leaves_kernels = true,
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
