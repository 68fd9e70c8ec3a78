#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found,
                   query::times_of(c.session(), c.facts().device_work ? query::Activity::kDeviceSoftmax
                                                                      : query::Activity::kHostSoftmax));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share") || found.count < c.parts()) return {};
    Finding finding{"unfused_attention", "problem",
                    fmt::format("Softmax over whole attention scores takes {} of the time", percent(share))};
    finding.evidence =
        c.how_often(found.count, c.facts().device_work ? "kernels of softmaxes" : "softmaxes") +
        " over square scores: the attention is not fused, and its scores go through memory several times.";
    finding.advice =
        "scaled_dot_product_attention computes attention in one kernel without writing the scores.";
    finding.share_pct = share;
    finding.view = "ops";
    finding.filter = "op_name:contains:aten::_softmax";
    // A fused kernel spares what goes on with the scores besides; how much faster its products are is not
    // known.
    OPSIGHT_ASSIGN(query::Occurrences scores,
                   query::times_of(c.session(), c.facts().device_work ? query::Activity::kDeviceScores
                                                                      : query::Activity::kHostScores));
    OPSIGHT_ASSIGN(finding.times, with_pauses(c, query::united(found.times, scores.times)));
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule unfused_attention_rule() {
    return {
        .id = "unfused_attention",
        .looks_for = "attention that writes its scores to memory",
        .needs = "ops with shapes",
        .thresholds = {{"share", 3, "% of the wall clock",
                        "below, a change is lost in the noise of iterations"}},
        .bound =
            "the time of the softmaxes, and of all else that reads or writes the scores: a fused kernel "
            "still "
            "takes a part of it",
        .confidence = "medium: square scores are attention in all but rare models",
        .remedy = "Fused attention.",
        .lines =
            "out = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask)  # PyTorch 2; "
            "the mask as before",
        .query =
            "SELECT name, layer, shapes, count(*) AS calls, sum(dur_ns) / 1e6 AS host_ms, "
            "sum(gpu_ns) / 1e6 AS gpu_ms FROM ops WHERE {range} AND regexp_matches(name, "
            "'^aten::_softmax(_backward_data)?$') GROUP BY ALL ORDER BY gpu_ms DESC, host_ms DESC, "
            "name, layer, shapes LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch, scaled_dot_product_attention; Dao et al., FlashAttention (2022)",
        .lacks = lacks_shapes,
        .check = check,
    };
}

}  // namespace opsight::advise
