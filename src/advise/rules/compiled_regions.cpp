#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

using query::RunFacts;

Status check(Context& c) {
    const RunFacts& f = c.facts();
    const double share = f.share_of(f.region_ns);
    if (share < c.threshold("share")) return {};
    c.add({"regions",
           "unknown",
           fmt::format("Kernels without {} of compiled regions take about {} of the time", matrix_units(f),
                       percent(share)),
           fmt::format("Other kernels of these regions use {}; whether these could is not told.",
                       matrix_units(f)),
           "The longest of them come first under Kernels.",
           share,
           "kernels",
           {},
           {}});
    return {};
}

}  // namespace

Rule compiled_regions_rule() {
    return {
        .id = "regions",
        .looks_for = "kernels without Tensor Cores in compiled regions that use them elsewhere",
        .needs = "",
        .thresholds = {{"share", 5, "% of the wall clock",
                        "what takes less is hardly a headline; XProf's input bound is 5 % too"}},
        .bound = "",
        .confidence = "high: it says what is not known",
        .remedy = "",
        .lines = "",
        .query =
            "SELECT label, sum(dur_ns) / 1e6 AS ms FROM kernels WHERE {range} AND class = 'compute' "
            "AND uses_tc = 'no' AND in_tc_eligible_op GROUP BY ALL ORDER BY ms DESC, label LIMIT 20",
        .verify = "",
        .source = "docs/metrics.md",
        .lacks = lacks_device_work,
        .check = check,
    };
}

}  // namespace opsight::advise
