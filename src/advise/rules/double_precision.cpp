#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

std::string advice_on_device(const std::optional<std::pair<double, double>>& rates) {
    const std::string origin = " A NumPy array or a Python default often brought them in.";
    if (!rates)
        return "GPUs compute them at the rate of 32-bit floats at most, many at 1/2 to 1/64 of it, and move "
               "twice the "
               "bytes." +
               origin;
    const auto [fp64, fp32] = *rates;
    return fmt::format(
        "This GPU computes them at {} of the rate of 32-bit floats ({:.1f} against {:.1f} TFLOP/s at most), "
        "and "
        "moves twice the bytes.{}",
        percent(100 * fp64 / fp32), fp64 / 1e12, fp32 / 1e12, origin);
}

// Python's numbers are doubles, whatever the program computes with.
constexpr const char* kOfOneNumber = "^\\[\\[\\]";

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found,
                   query::times_of_ops(c.session(), {.pattern = "^aten::",
                                                     .dtypes = "^\\[\"double\"|float64",
                                                     .but_shapes = kOfOneNumber,
                                                     .device = c.facts().device_work,
                                                     .kernels = true}));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{"double_precision", "problem",
                    fmt::format("Ops on 64-bit floats take {} of {}", percent(share), c.the_time())};
    finding.evidence =
        c.how_often(found.count, c.facts().device_work ? "kernels of ops whose first input is a double"
                                                       : "ops whose first input is a double") +
        ".";
    OPSIGHT_ASSIGN(const auto rates, query::rates_of_floats(c.session()));
    finding.advice = c.facts().device_work
                         ? advice_on_device(rates)
                         : "32-bit floats move half the bytes and compute at twice the rate: a NumPy array "
                           "or a Python default often brought 64-bit ones in.";
    finding.share_pct = share;
    finding.view = "ops";
    OPSIGHT_ASSIGN(finding.times, with_pauses(c, std::move(found.times)));
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule double_precision_rule() {
    return {
        .id = "double_precision",
        .looks_for = "64-bit floats that nobody asked for",
        .needs = "ops with the types of their inputs; those on single numbers do not count",
        .thresholds = {{"share", 5, "% of the wall clock", "a stray scalar does no harm"}},
        .bound = "the time of these ops",
        .confidence = "medium: they may be meant",
        .remedy = "32-bit floats.",
        .lines = "x = torch.from_numpy(array).float()\ntorch.set_default_dtype(torch.float32)",
        .query =
            "SELECT name, layer, dtypes, shapes, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM ops "
            "WHERE {range} AND name LIKE 'aten::%' AND regexp_matches(dtypes, "
            "'^\\[\"double\"|float64') AND NOT starts_with(shapes, '[[]') GROUP BY ALL ORDER BY ms DESC, "
            "name, layer, dtypes, shapes "
            "LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "CUDA C++ programming guide, arithmetic instructions",
        .of_durations = true,
        .of_kernels = true,
        .lacks = lacks_dtypes,
        .check = check,
    };
}

}  // namespace opsight::advise
