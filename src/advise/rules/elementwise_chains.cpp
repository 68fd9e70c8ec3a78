#include <fmt/format.h>

#include "advise/rules/rules.h"
#include "query/reports/op_patterns.h"

namespace opsight::advise {
namespace {

// What fusing spares, where shapes tell.
std::string bytes_spared(const Context& c, const query::ElementwiseChains& chains) {
    if (chains.bytes_between.value_or(0) <= 0) return {};
    const double gb = *chains.bytes_between / 1e9 / static_cast<double>(c.parts());
    return fmt::format(
        " Up to {:.3g} GB {} go from op to op through memory, written and read again (an estimate by shapes, "
        "as if "
        "each result were what the next op reads): one op need not move them.",
        gb, c.of_a_part());
}

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::ElementwiseChains chains,
                   query::elementwise_chains(c.session(), static_cast<int64_t>(c.threshold("ops")),
                                             c.facts().device_work));
    const double share = c.share_of(chains.found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{"elementwise_chains", "problem",
                    fmt::format("Chains of elementwise ops take {} of the time", percent(share))};
    finding.evidence = fmt::format("{} that work element by element, {:.0f} or more one after the other.",
                                   c.how_often(chains.found.count, "ops"), c.threshold("ops")) +
                       bytes_spared(c, chains);
    finding.advice = c.facts().torch && !c.facts().compiled
                         ? "An op that does it all (F.gelu, F.layer_norm, F.scaled_dot_product_attention) or "
                           "torch.compile (PyTorch 2) reads and writes them once."
                         : "A fused op reads and writes them once.";
    finding.share_pct = share;
    finding.view = "ops";
    OPSIGHT_ASSIGN(finding.times, with_pauses(c, std::move(chains.found.times)));
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule elementwise_chains_rule() {
    return {
        .id = "elementwise_chains",
        .looks_for = "elementwise ops, one after the other, that one op could do",
        .needs = "ops",
        .thresholds = {{"share", 5, "% of the wall clock", "what takes less is hardly a headline"},
                       {"ops", 6, "one after the other", "shorter chains are found in most networks"}},
        .bound =
            "the time of their kernels; without a device that from the first op to the last of each chain",
        .confidence = "medium: a fused op still reads its first inputs and writes its last outputs",
        .remedy = "One op in place of many.",
        .lines =
            "y = torch.nn.functional.gelu(x)  # not 0.5 * x * (1 + torch.tanh(...))\n"
            "model = torch.compile(model)      # PyTorch 2: or have the chains fused",
        .query =
            "SELECT name, layer, direction, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM ops "
            "WHERE {range} AND regexp_matches(name, "
            "'^aten::(add|sub|rsub|mul|div|neg|pow|exp|log|sqrt|rsqrt|square|reciprocal|abs|tanh|sigmoid|"
            "relu|erf|clamp|clamp_min|where|mean|sum|var|std|maximum|minimum|addcmul|addcdiv|lerp|tanh_"
            "backward|sigmoid_backward|threshold_backward)_?$') "
            "GROUP BY ALL ORDER BY ms DESC, name, layer, direction LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch performance tuning guide, fuse operations",
        .compiles = true,
        .lacks = lacks_torch_ops,
        .check = check,
    };
}

}  // namespace opsight::advise
