#include <fmt/format.h>

#include <algorithm>

#include "advise/rules/rules.h"
#include "base/sql.h"

namespace opsight::advise {
namespace {

using query::RunFacts;

// What kernels ran of ops of other names.
std::string query_without(const std::vector<std::string>& names) {
    constexpr size_t kShown = 30;  // names of products are few
    std::string list;
    for (size_t i = 0; i < std::min(names.size(), kShown); ++i)
        list += (i > 0 ? ", " : "") + duck::literal(names[i]);
    return "SELECT op_name, count(*) AS kernels, sum(dur_ns) / 1e6 AS ms FROM kernels WHERE {range} AND "
           "class = "
           "'compute' AND uses_tc = 'no' AND op_name NOT IN (" +
           list + ") GROUP BY ALL ORDER BY ms DESC, op_name LIMIT 20";
}

// What fusing would do to PyTorch's own ops; those of extensions are kernels that somebody wrote as one.
void advise_torch(const Context& c, Finding& finding) {
    const RunFacts& f = c.facts();
    const std::string optimizer = f.trains ? grouped_optimizer(f) : "";
    const double custom = c.share_of_plain(f.custom_ns), own = c.share_of_plain(f.plain_ns - f.custom_ns);
    const bool mostly_custom = !f.compiled && custom > own;
    const bool fuses = !mostly_custom || own >= c.threshold("share");
    if (mostly_custom)
        finding.advice = fmt::format(
            "{} of {} is in ops of extensions, such as {}, which torch.compile leaves as they are; what "
            "helps there is smaller types or less data.{}",
            percent(custom), c.the_time(), f.custom_op, fuses ? " " : "");
    else
        finding.advice.clear();
    if (fuses) {
        const std::string compile = f.compiled ? "larger compiled regions (fewer graph breaks), "
                                    : optimizer.empty()
                                        ? "torch.compile (PyTorch 2) fuses such ops, and so does "
                                        : "torch.compile (PyTorch 2) fuses such ops, and so do ";
        finding.advice += fmt::format(
            "Fewer passes over memory help{}: {}{}fused attention.", mostly_custom ? " PyTorch's own" : "",
            compile, optimizer.empty() ? "" : "optimizers that take all parameters at once, and ");
    }
    if (fuses && !f.compiled) finding.lines = "model = torch.compile(model)  # PyTorch 2";
    if (fuses && !optimizer.empty()) finding.lines += (finding.lines.empty() ? "" : "\n") + optimizer;
    finding.reading.emplace_back("PyTorch: performance tuning guide",
                                 "https://pytorch.org/tutorials/recipes/recipes/tuning_guide.html");
}

Status check(Context& c) {
    const RunFacts& f = c.facts();
    if (!f.ops && f.plain_ns == 0) return c.cannot("no ops were recorded"), Status();
    if (const double share = c.share_of_plain(f.plain_ns); share >= c.threshold("share")) {
        Finding finding{"plain_kernels",
                        "problem",
                        fmt::format("Kernels of ops that {} cannot help take about {} of {}", matrix_units(f),
                                    percent(share), c.the_time()),
                        "Such ops (elementwise ones, softmax, norms, conversions) move memory as a rule, and "
                        "few are bound "
                        "by arithmetic; which they are here is in the rows below.",
                        f.recorded.fusions
                            ? "They are fusions of XLA already: smaller types (bfloat16), or less data, "
                              "are what is left to gain there."
                            : "Fewer passes over memory help: ops that are fused.",
                        share,
                        "ops",
                        {},
                        {}};
        if (f.torch) advise_torch(c, finding);
        if (f.product_ns > 0) {
            OPSIGHT_ASSIGN(const query::ProductOps products, query::product_ops(c.session()));
            finding.query = query_without(products.names);
        }
        OPSIGHT_ASSIGN(query::Occurrences found,
                       query::times_of(c.session(), query::Activity::kPlainKernels));
        OPSIGHT_ASSIGN(finding.times, with_pauses(c, std::move(found.times)));
        c.add(std::move(finding));
    }
    return {};
}

}  // namespace

Rule plain_kernels_rule() {
    return {
        .id = "plain_kernels",
        .looks_for = "kernels of ops that Tensor Cores cannot help: elementwise ops, norms, softmax",
        .needs = "ops",
        .thresholds = {{"share", 5, "% of the wall clock",
                        "what takes less is hardly a headline; XProf's input bound is 5 % too"}},
        .bound = "the time of these kernels, as if all were fused away",
        .confidence = "medium: a fused kernel still reads and writes its first inputs and last outputs",
        .remedy = "Fewer passes over memory: fused ops.",
        .query =
            "SELECT op_name, count(*) AS kernels, sum(dur_ns) / 1e6 AS ms FROM kernels WHERE {range} "
            "AND class = 'compute' AND uses_tc = 'no' AND op_id IN (SELECT id FROM op_identities "
            "WHERE type NOT IN ('unassociated', 'unattributed', 'annotation') AND NOT (tc_eligible "
            "AND in_tc_eligible_op)) GROUP BY ALL ORDER BY ms DESC, op_name LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch performance tuning guide",
        .gives_way_to = {"layout_conversions", "contiguous_copies", "dtype_conversions", "double_precision",
                         "unfused_attention", "elementwise_chains", "growing_tensors", "recomputation",
                         "dense_gradients", "repeated_ops", "engine_conversions"},
        .of_durations = true,
        .of_kernels = true,
        .lacks = lacks_device_work,
        .check = check,
    };
}

}  // namespace opsight::advise
