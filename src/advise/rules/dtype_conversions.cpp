#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

// Numbers of Python that become tensors without a dimension. What shapes were not recorded of may be any.
constexpr const char* kOfScalars = R"(^\[[^0-9]+$)";

Status check(Context& c) {
    // On the host a copy to a device is one too, and waits for what the device has to do first.
    if (!c.facts().device_work &&
        (c.facts().work_lost || c.session().contents().device_unseen || !c.facts().recorded.dtypes))
        return c.cannot(
                   "whether aten::_to_copy changed a type is not told: neither types nor a device's work "
                   "were recorded"),
               Status();
    OPSIGHT_ASSIGN(query::Occurrences found,
                   query::times_of_ops(c.session(), {.pattern = "^aten::_to_copy$",
                                                     .but_shapes = kOfScalars,
                                                     .device = c.facts().device_work,
                                                     .kernels = true}));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share") || found.count < c.parts()) return {};
    Finding finding{"dtype_conversions", "problem",
                    fmt::format("Converting tensors to another type takes {} of the time", percent(share))};
    finding.evidence = c.how_often(found.count, c.facts().device_work ? "kernels below aten::_to_copy"
                                                                      : "calls of aten::_to_copy") +
                       ".";
    finding.advice =
        "Weights that are kept in the type that is computed in, and inputs converted once, spare conversions "
        "in each layer.";
    finding.share_pct = share;
    finding.view = "ops";
    finding.filter = "op_name:eq:aten::_to_copy";
    OPSIGHT_ASSIGN(finding.times, with_pauses(c, std::move(found.times)));
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule dtype_conversions_rule() {
    return {
        .id = "dtype_conversions",
        .looks_for = "conversions of types within the model",
        .needs = "ops",
        .thresholds = {{"share", 5, "% of the wall clock", "autocast needs some"}},
        .bound = "the time of these conversions",
        .confidence = "medium: some conversions are what mixed precision is",
        .remedy = "Convert once.",
        .lines = "model = model.to(torch.bfloat16)  # where training tolerates it",
        .query =
            "SELECT layer, shapes, dtypes, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM ops WHERE "
            "{range} AND name = 'aten::_to_copy' AND NOT regexp_matches(coalesce(shapes, ''), "
            "'^\\[[^0-9]+$') GROUP BY ALL ORDER BY ms DESC, layer, shapes, "
            "dtypes LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch, automatic mixed precision",
        .lacks = lacks_torch_ops,
        .check = check,
    };
}

}  // namespace opsight::advise
