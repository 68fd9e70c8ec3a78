#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

constexpr const char* kNames =
    "mkldnn_reorder|_to_mkldnn|aten::to_dense|aten::to_mkldnn|onednn(::|_)reorder|dnnl_reorder";

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of_ops(c.session(), {.pattern = kNames}));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{"layout_reorders", "problem",
                    fmt::format("Reorders between layouts of oneDNN take {} of the {}time", percent(share),
                                c.facts().wall_ns > 0 ? "" : "recorded ")};
    finding.evidence = c.how_often(found.count, "reorders") + ".";
    if (c.facts().wall_ns <= 0)
        finding.evidence += " The share is of the time that was recorded: when work ran is not told.";
    finding.advice = c.facts().torch
                         ? "Order weights once: ipex.optimize or torch.compile's freezing keep them "
                           "in oneDNN's layout."
                         : "Order weights once, in the layout that the primitive asks for "
                           "(format_tag::any), and keep them so.";
    finding.share_pct = share;
    finding.view = "ops";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    return f.device_work ? "the work is a device's" : lacks_ops(f);
}

}  // namespace

Rule layout_reorders_rule() {
    return {
        .id = "layout_reorders",
        .looks_for = "reorders of tensors between layouts on a CPU",
        .needs = "ops, and no device",
        .thresholds = {{"share", 3, "% of the wall clock",
                        "below, a change is lost in the noise of iterations"}},
        .bound = "the time of these reorders",
        .confidence = "high: each is recorded",
        .remedy = "Order once.",
        .query =
            "SELECT name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM ops WHERE {range} AND "
            "regexp_matches(name, "
            "'mkldnn_reorder|_to_mkldnn|aten::to_dense|aten::to_mkldnn|onednn(::|_)reorder|dnnl_reorder') "
            "GROUP BY ALL ORDER BY ms DESC",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "oneDNN, understanding memory formats",
        .of_durations = true,
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
