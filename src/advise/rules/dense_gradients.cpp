#include <fmt/format.h>

#include "advise/rules/rules.h"
#include "query/reports/op_patterns.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    const bool device = c.facts().device_work;
    OPSIGHT_ASSIGN(
        query::Occurrences found,
        query::times_of_pattern(c.session(), {query::OpPattern::kDense,
                                              static_cast<int64_t>(c.threshold("rows")), c.parts(), device}));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{
        "dense_gradients", "problem",
        fmt::format("Gradients of embedding rows that no sample used take {} of the time", percent(share))};
    finding.evidence =
        "A batch uses at most a tenth of the rows; gradient, step and zeroing go through all of them.";
    finding.advice =
        "sparse=True makes gradients of the rows that were used, with SGD, SparseAdam or Adagrad.";
    finding.share_pct = share;
    finding.view = "ops";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    std::string why = lacks_shapes(f);
    return !why.empty() || f.recorded.input_values ? why : "no values of the ops' inputs were recorded";
}

}  // namespace

Rule dense_gradients_rule() {
    return {
        .id = "dense_gradients",
        .looks_for = "gradients of whole embeddings of which few rows were used",
        .needs = "ops with shapes and values of their inputs",
        .thresholds = {{"share", 5, "% of the wall clock", "what takes less is hardly a headline"},
                       {"rows", 10000, "rows of the embedding", "smaller ones are written in no time"}},
        .bound =
            "the time of these gradients, of the optimizer's ops on tensors of so many rows, and of "
            "zero_grad, which frees them",
        .confidence = "medium: weights that are shared with another layer have dense gradients anyway",
        .remedy = "Sparse gradients.",
        .lines =
            "embedding = torch.nn.EmbeddingBag(rows, columns, sparse=True)\n"
            "optimizer = torch.optim.SparseAdam(list(embedding.parameters()))",
        .query =
            "SELECT name, layer, shapes, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM ops WHERE "
            "{range} AND (name LIKE '%embedding%backward%' OR direction = 'optimizer') GROUP BY ALL "
            "ORDER BY ms DESC, name, layer, shapes LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch, torch.nn.Embedding: sparse",
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
