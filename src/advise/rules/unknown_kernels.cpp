#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

using query::RunFacts;

// "trt::layer" is a layer of TensorRT whose kernel is not told.
Status tell_layers(Context& c, Finding& finding) {
    OPSIGHT_ASSIGN(const query::Occurrences layers, query::times_of_kernels(c.session(), "^trt::layer$"));
    if (layers.count > 0)
        finding.advice =
            "What trtexec writes with --exportLayerInfo=layers.json --profilingVerbosity=detailed names the "
            "kernel of each layer: import it together with this profile.";
    return {};
}

Status check(Context& c) {
    const RunFacts& f = c.facts();
    const double share = f.wall_ns > 0 ? f.unknown_kernel.value_or(0) : c.share_of(f.unknown_ns + f.graph_ns);
    if (share >= c.threshold("share")) {
        std::string evidence;
        if (f.unknown_ns > 0)
            evidence = fmt::format("The names of kernels that take {} do not tell.", c.time_of(f.unknown_ns));
        if (f.graph_ns > 0)
            evidence += fmt::format("{}Graphs that take {} were recorded as a whole, without their kernels.",
                                    evidence.empty() ? "" : " ", c.time_of(f.graph_ns));
        Finding finding{"unknown_kernels",
                        "unknown",
                        fmt::format("Whether {} are used is not known of kernels that take {} of {}",
                                    matrix_units(f), percent(share), c.the_time()),
                        std::move(evidence),
                        {},
                        share,
                        "kernels",
                        {},
                        {}};
        if (f.vendor == query::Vendor::kNvidia && !f.recorded_here)
            finding.advice = "opsight profile reads the kernels' code, which tells.";
        if (f.wall_ns <= 0) OPSIGHT_TRY(tell_layers(c, finding));
        c.add(std::move(finding));
    }
    return {};
}

// Accelerators of other makers have units of their own, of which kernels tell nothing.
std::string lacks(const RunFacts& f) {
    std::string why = lacks_device_work(f);
    return why.empty() && f.vendor == query::Vendor::kOther
               ? "the devices are not GPUs with Tensor Cores or matrix cores"
               : why;
}

}  // namespace

Rule unknown_kernels_rule() {
    return {
        .id = "unknown_kernels",
        .looks_for = "kernels of which it is not known whether they use Tensor Cores",
        .needs = "",
        .thresholds = {{"share", 5, "% of the wall clock",
                        "what takes less is hardly a headline; XProf's input bound is 5 % too"}},
        .bound = "",
        .confidence = "high: it says what is not known",
        .remedy = "Record with opsight profile, which reads the kernels' code.",
        .lines = "",
        .query =
            "SELECT label, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM (SELECT label, dur_ns FROM "
            "kernels "
            "WHERE {range} AND class = 'compute' AND uses_tc = 'unknown' UNION ALL SELECT name, dur_ns FROM "
            "device_other WHERE {range} AND kind = 'graph') GROUP BY ALL ORDER BY ms DESC, label LIMIT 20",
        .verify = "opsight profile -- PROGRAM",
        .source = "docs/metrics.md",
        .of_durations = true,
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
