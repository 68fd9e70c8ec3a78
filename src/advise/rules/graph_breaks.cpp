#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(const query::Occurrences regions,
                   query::times_of_ops(c.session(), {.pattern = "^Torch-Compiled Region"}));
    if (static_cast<double>(regions.count) < c.threshold("regions") * static_cast<double>(c.parts()))
        return {};
    Finding finding{"graph_breaks", "note",
                    c.how_often(regions.count, "compiled regions run: the model is compiled in pieces")};
    finding.evidence = "Between the pieces Python runs, and nothing is fused across them.";
    finding.advice = "TORCH_LOGS=graph_breaks names each break and its line.";
    finding.view = "ops";
    finding.filter = "op_name:contains:Torch-Compiled Region";
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    return f.recorded.compiled_regions ? "" : "no regions of torch.compile were recorded";
}

}  // namespace

Rule graph_breaks_rule() {
    return {
        .id = "graph_breaks",
        .looks_for = "graph breaks: models that torch.compile compiles in many pieces",
        .needs = "ranges of torch.compile",
        .thresholds =
            {{"regions", 8, "in an iteration",
              "forward and backward passes of a whole graph are two; some breaks are in most models"}},
        .bound = "",
        .confidence = "medium: parts that are compiled by themselves on purpose count too",
        .remedy = "Fewer breaks.",
        .lines = "torch.compile(model, fullgraph=True)  # raises at the first break",
        .query =
            "SELECT name, count(*) AS calls FROM ops WHERE {range} AND name LIKE 'Torch-Compiled "
            "Region%' GROUP BY ALL ORDER BY calls DESC, name",
        .verify = "TORCH_LOGS=graph_breaks python train.py",
        .source = "PyTorch, torch.compile troubleshooting: graph breaks",
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
