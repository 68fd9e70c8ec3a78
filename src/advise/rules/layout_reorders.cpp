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

// SQL that lists the copies, or the others.
std::string evidence(bool copies) {
    const char* shown = copies ? "name, shapes, dtypes" : "name";
    return fmt::format(
        "SELECT {0}, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM ops WHERE {{range}} AND "
        "regexp_matches(name, '{1}') AND {2}regexp_matches(coalesce(concrete_inputs, ''), '{3}') GROUP BY "
        "ALL "
        "ORDER BY ms DESC, {0}{4}",
        shown, kNames, copies ? "" : "NOT ", kSameLayout, copies ? " LIMIT 20" : "");
}

Finding taking(Context& c, const char* id, const char* what, query::Occurrences&& found) {
    const double share = c.share_of(found.times);
    Finding finding{id, "problem", fmt::format("{} take {} of {}", what, percent(share), c.the_time())};
    finding.share_pct = share;
    finding.view = "ops";
    finding.times = std::move(found.times);
    return finding;
}

// Such a copy is made where a primitive asks for memory of its own, often of a bias of a few numbers.
Status tell_copies(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found,
                   query::times_of_ops(c.session(), {.pattern = kNames, .values = kSameLayout}));
    if (c.share_of(found.times) < c.threshold("share")) return {};
    const std::string how_often = c.how_often(found.count, "reorders that only copy, or convert types");
    Finding finding =
        taking(c, "reorder_copies", "Reorders of oneDNN that leave the layout as it is", std::move(found));
    finding.evidence = how_often + ".";
    finding.advice =
        "Hand tensors on in the memory and type that the next primitive takes, and parameters once, before "
        "the loop.";
    finding.query = evidence(true);
    c.add(std::move(finding));
    return {};
}

Status tell_changes(Context& c) {
    const query::OpChoice reorders{.pattern = kNames, .but_values = kSameLayout};
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of_ops(c.session(), reorders));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    OPSIGHT_ASSIGN(const query::Occurrences activations,
                   query::times_of_activation_reorders(c.session(), reorders));
    const double of_activations = c.share_of(activations.times);
    const std::string how_often = c.how_often(found.count, "reorders");
    Finding finding = taking(c, "layout_reorders", "Reorders between layouts of oneDNN", std::move(found));
    finding.evidence = how_often + ".";
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
            "memory too; in PyTorch to_mkldnn or channels_last): what stands between two primitives orders "
            "them back and forth.";
    if (weights || !kept) finding.advice += (kept ? " " : "") + of_weights(c.facts());
    c.add(std::move(finding));
    return {};
}

Status check(Context& c) {
    OPSIGHT_TRY(tell_copies(c));
    return tell_changes(c);
}

std::string lacks(const query::RunFacts& f) {
    const std::string why = lacks_work_of_the_cpu(f);
    return why.empty() ? lacks_ops(f) : why;
}

}  // namespace

Rule layout_reorders_rule() {
    static const std::string kEvidence = evidence(false);
    return {
        .id = "layout_reorders",
        .looks_for = "reorders of tensors on a CPU, between layouts, and those that only copy",
        .needs = "ops, and no device",
        .thresholds = {{"share", 3, "% of the wall clock",
                        "below, a change is lost in the noise of iterations"}},
        .bound = "the time of these reorders",
        .confidence = "high: each is recorded",
        .remedy = "Order weights once, and keep activations in the layout of the primitives.",
        .query = kEvidence,
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "oneDNN, understanding memory formats",
        .of_durations = true,
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
