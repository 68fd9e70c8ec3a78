#include <fmt/format.h>

#include "advise/rules/rules.h"
#include "query/reports/reorders.h"

namespace opsight::advise {
namespace {

constexpr const char* kNames =
    "mkldnn_reorder|_to_mkldnn|aten::to_dense|aten::to_mkldnn|onednn(::|_)reorder|dnnl_reorder";
// A primitive called so that copies, or converts types: "layout abcd", and not "layout abcd -> aBcd8b".
constexpr const char* kSameLayout = "\"layout [^\">]*\"";

std::string of_weights(const query::RunFacts& f) {
    if (f.trains)
        return "Weights change in each step of training, and are ordered anew: only a layout that they keep "
               "(a model "
               "and an optimizer that hold them in oneDNN's) spares that.";
    return f.torch
               ? "Order weights once: ipex.optimize or torch.compile's freezing keep them in oneDNN's layout."
               : "Order weights once, in the layout that the primitive asks for (format_tag::any), and keep "
                 "them "
                 "so.";
}

// Such a copy is made where a primitive asks for memory of its own, often of a bias of a few numbers.
Status tell_copies(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found,
                   query::times_of_ops(c.session(), {.pattern = kNames, .values = kSameLayout}));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{"reorder_copies", "problem",
                    fmt::format("Reorders of oneDNN that leave the layout as it is take {} of the {}time",
                                percent(share), c.facts().wall_ns > 0 ? "" : "recorded ")};
    finding.evidence = c.how_often(found.count, "reorders that only copy, or convert types") + ".";
    finding.advice =
        "Hand tensors on in the memory and type that the next primitive takes, and parameters once, before "
        "the loop.";
    finding.query =
        "SELECT name, shapes, dtypes, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM ops WHERE {range} AND "
        "regexp_matches(concrete_inputs, '\"layout [^\">]*\"') GROUP BY ALL ORDER BY ms DESC, name, shapes, "
        "dtypes LIMIT 20";
    finding.share_pct = share;
    finding.view = "ops";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

Status check(Context& c) {
    OPSIGHT_TRY(tell_copies(c));
    const query::OpChoice reorders{.pattern = kNames, .but_values = kSameLayout};
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of_ops(c.session(), reorders));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{"layout_reorders", "problem",
                    fmt::format("Reorders between layouts of oneDNN take {} of the {}time", percent(share),
                                c.facts().wall_ns > 0 ? "" : "recorded ")};
    OPSIGHT_ASSIGN(const query::Occurrences activations,
                   query::times_of_activation_reorders(c.session(), reorders));
    const double of_activations = c.share_of(activations.times);
    finding.evidence = c.how_often(found.count, "reorders") + ".";
    if (activations.count > 0)
        finding.evidence += fmt::format(
            " {} of the time in {} of activations, by their shapes: their first size is the batch.",
            percent(of_activations), c.how_often(activations.count, "reorders"));
    if (c.facts().wall_ns <= 0)
        finding.evidence += " The share is of the time that was recorded: when work ran is not told.";
    const bool weights = share - of_activations >= c.threshold("share"),
               kept = of_activations >= c.threshold("share");
    if (kept)
        finding.advice =
            "Keep activations in oneDNN's layout from one primitive to the next (format_tag::any for their "
            "memory "
            "too; in PyTorch to_mkldnn or channels_last): what stands between two primitives orders them "
            "back and "
            "forth.";
    if (weights || !kept) finding.advice += (kept ? " " : "") + of_weights(c.facts());
    finding.share_pct = share;
    finding.view = "ops";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    const std::string why = lacks_work_of_the_cpu(f);
    return why.empty() ? lacks_ops(f) : why;
}

}  // namespace

Rule layout_reorders_rule() {
    return {
        .id = "layout_reorders",
        .looks_for = "reorders of tensors on a CPU, between layouts, and those that only copy",
        .needs = "ops, and no device",
        .thresholds = {{"share", 3, "% of the wall clock",
                        "below, a change is lost in the noise of iterations"}},
        .bound = "the time of these reorders",
        .confidence = "high: each is recorded",
        .remedy = "Order weights once, and keep activations in the layout of the primitives.",
        .query =
            "SELECT name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM ops WHERE {range} AND "
            "regexp_matches(name, "
            "'mkldnn_reorder|_to_mkldnn|aten::to_dense|aten::to_mkldnn|onednn(::|_)reorder|dnnl_reorder') "
            "AND NOT regexp_matches(coalesce(concrete_inputs, ''), '\"layout [^\">]*\"') GROUP BY ALL "
            "ORDER BY ms DESC, name",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "oneDNN, understanding memory formats",
        .of_durations = true,
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
