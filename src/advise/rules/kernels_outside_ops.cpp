#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

using query::RunFacts;

// On a device that is known to have none nobody asks whether they could be used.
bool has_units(const RunFacts& f) {
    return f.matrix_units || !f.devices_known;
}

Status check(Context& c) {
    const RunFacts& f = c.facts();
    const std::string kernels =
        has_units(f) ? fmt::format("Kernels without {}", matrix_units(f)) : std::string("Kernels");
    if (const double share = f.share_of(f.unlaunched_ns); share >= c.threshold("share"))
        c.add({"unlaunched_kernels",
               "unknown",
               fmt::format("{} whose launch was not recorded take about {} of the time", kernels,
                           percent(share)),
               c.session().contents().calls
                   ? "They were launched before the recording began, or the record of their call was lost: "
                     "which op "
                     "they belong to is not known."
                   : "No calls of CUDA's API were recorded: which op or call launched them is not known.",
               {},
               share,
               "kernels",
               {},
               {}});
    if (const double share = f.share_of(f.outside_ns); share >= c.threshold("share"))
        c.add({"kernels",
               "unknown",
               fmt::format("{} that no op of a framework launched take about {} of the time", kernels,
                           percent(share)),
               has_units(f) ? "No op tells what they compute, or whether they could use them."
                            : "No op tells what they compute.",
               "The longest of them come first under Kernels.",
               share,
               "kernels",
               {},
               {}});
    return {};
}

}  // namespace

Rule kernels_outside_ops_rule() {
    return {
        .id = "kernels_outside_ops",
        .looks_for = "kernels that no op of a framework launched",
        .needs = "",
        .thresholds = {{"share", 5, "% of the wall clock",
                        "what takes less is hardly a headline; XProf's input bound is 5 % too"}},
        .bound = "",
        .confidence = "high: it says what is not known",
        .remedy = "",
        .lines = "",
        .query =
            "SELECT label, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM kernels WHERE {range} AND "
            "class = 'compute' AND uses_tc = 'no' AND op_span IS NULL GROUP BY ALL ORDER BY ms DESC, "
            "label LIMIT 20",
        .verify = "",
        .source = "docs/metrics.md",
        .lacks = lacks_device_work,
        .check = check,
    };
}

}  // namespace opsight::advise
