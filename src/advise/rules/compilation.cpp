#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

constexpr const char* kNames = "\\(dynamo_timed\\)|^_compile\\.|^compile_fx|^jit_compile";

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of_annotations(c.session(), kNames));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{"compilation", "problem",
                    fmt::format("Code is compiled in {} of the time of the range", percent(share))};
    finding.evidence = c.how_often(found.count, "ranges of the compiler") + ".";
    finding.advice =
        "Compilation belongs before the iterations that count: a graph that is compiled again and again has "
        "shapes or values that change. TORCH_LOGS=recompiles says which.";
    finding.share_pct = share;
    finding.view = "timeline";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    return f.compiled || f.recorded.compiler_ranges ? "" : "no ranges of torch.compile were recorded";
}

}  // namespace

Rule compilation_rule() {
    return {
        .id = "compilation",
        .looks_for = "compilation within the range",
        .needs = "ranges of torch.compile",
        .thresholds = {{"share", 5, "% of the wall clock",
                        "the first iteration compiles; left out as warm-up it does not count"}},
        .bound = "the time in which the compiler's ranges are open",
        .confidence = "high: the compiler's own ranges",
        .remedy = "Warm up first, and avoid recompilations.",
        .lines = "torch._dynamo.mark_dynamic(x, 0)  # a size that changes",
        .query =
            "SELECT name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM annotations WHERE {range} "
            "AND name LIKE '%dynamo_timed%' GROUP BY ALL ORDER BY ms DESC, name LIMIT 20",
        .verify = "TORCH_LOGS=recompiles python train.py",
        .source = "PyTorch, torch.compile troubleshooting",
        .leaves_kernels = true,
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
