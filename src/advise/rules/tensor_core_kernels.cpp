#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

using query::RunFacts;

Status check(Context& c) {
    const RunFacts& f = c.facts();
    const double share = f.tensor_core.value_or(0);
    if (share < c.threshold("share")) return {};
    c.add({"tensor_core_kernels",
           "note",
           fmt::format("Kernels that use {} run in {} of the time", matrix_units(f), percent(share)),
           "How much of the units' rate they reach this share does not tell.",
           "The roofline tells it where shapes were recorded.",
           share,
           "kernels",
           {},
           {}});
    return {};
}

}  // namespace

Rule tensor_core_kernels_rule() {
    return {
        .id = "tensor_core_kernels",
        .looks_for = "time in which Tensor Cores work",
        .needs = "",
        .thresholds = {{"share", 5, "% of the wall clock",
                        "what takes less is hardly a headline; XProf's input bound is 5 % too"}},
        .bound = "",
        .confidence = "high: kernels whose code or name tells",
        .remedy = "",
        .lines = "",
        .query =
            "SELECT label, sum(dur_ns) / 1e6 AS ms FROM kernels WHERE {range} AND uses_tc = 'yes' "
            "GROUP BY ALL ORDER BY ms DESC, label LIMIT 20",
        .verify = "",
        .source = "docs/metrics.md",
        .lacks = lacks_device_work,
        .check = check,
    };
}

}  // namespace opsight::advise
