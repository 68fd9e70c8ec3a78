#include <fmt/format.h>

#include "advise/rules/rules.h"
#include "query/reports/op_patterns.h"

namespace opsight::advise {
namespace {

// Activations that would not fit are worth it: not so where most of a device's memory was never held.
std::optional<double> most_memory_held(const std::vector<query::HeldMemory>& devices) {
    std::optional<double> most;
    for (const query::HeldMemory& each : devices)
        most = std::max(most.value_or(0),
                        100.0 * static_cast<double>(each.held) / static_cast<double>(each.bytes));
    return most;
}

Status check(Context& c) {
    const bool device = c.facts().device_work;
    OPSIGHT_ASSIGN(
        query::Occurrences found,
        query::times_of_pattern(c.session(), {query::OpPattern::kRecomputed, 1, c.parts(), device}));
    // Between these ops a checkpoint enters the layers again.
    constexpr int64_t kWithinTheNodeNs = 200'000;
    if (!device) found.times = query::bridged(found.times, kWithinTheNodeNs);
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    OPSIGHT_ASSIGN(const auto devices, query::device_memory(c.session()));
    const std::optional<double> held = most_memory_held(devices);
    const bool needed = held && *held > c.threshold("held");
    Finding finding{"recomputation", needed ? "note" : "problem",
                    fmt::format("Activations are computed again in {} of the time", percent(share))};
    finding.evidence = "Forward work runs within the backward pass, as checkpoints do to save memory.";
    if (held) finding.evidence += fmt::format(" {} of the device's memory was held at most.", percent(*held));
    finding.advice =
        needed ? "That is the price of the memory it saves."
        : held ? "There is memory left: checkpoint fewer layers, or only those with large activations."
               : "Where memory allows it, checkpoint fewer layers, or only those with large activations.";
    finding.share_pct = share;
    finding.view = "ops";
    OPSIGHT_ASSIGN(finding.times, with_pauses(c, std::move(found.times)));
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule recomputation_rule() {
    return {
        .id = "recomputation",
        .looks_for = "activations that are computed again though memory is left",
        .needs = "ops",
        .thresholds = {{"share", 5, "% of the wall clock", "what takes less is hardly a headline"},
                       {"held", 70, "% of a device's memory", "above, the memory is needed"}},
        .bound = "the time of the forward work within the backward pass: on a device of its kernels",
        .confidence = "high for the time; whether memory allows it is known only where the device's is",
        .remedy = "Keep what fits.",
        .lines = "x = layer(x)  # not torch.utils.checkpoint.checkpoint(layer, x)",
        .query =
            "SELECT o.name, o.layer, count(*) AS calls, sum(o.dur_ns) / 1e6 AS ms FROM ops o JOIN "
            "ops p ON p.id = o.parent_op WHERE o.direction = 'fprop' AND p.direction = 'bprop' GROUP "
            "BY ALL ORDER BY ms DESC, o.name, o.layer LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch performance tuning guide, checkpoint intermediate buffers",
        .lacks = lacks_ops,
        .check = check,
    };
}

}  // namespace opsight::advise
