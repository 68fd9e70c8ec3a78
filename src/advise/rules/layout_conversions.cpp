#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

constexpr const char* kKernels = "(?i)nchw_?to_?nhwc|nhwc_?to_?nchw|nchwAddPadding|nhwcAddPadding";

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of_kernels(c.session(), kKernels));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share") || found.count < c.parts()) return {};
    Finding finding{
        "layout_conversions", "problem",
        fmt::format("Kernels that change the layout of tensors take {} of {}", percent(share), c.the_time())};
    finding.evidence = c.how_often(found.count, "conversions between NCHW and NHWC") + ".";
    finding.advice = "Tensors and model in channels_last spare them: convolutions on Tensor Cores want NHWC.";
    finding.share_pct = share;
    finding.view = "kernels";
    OPSIGHT_ASSIGN(finding.times, with_pauses(c, std::move(found.times)));
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule layout_conversions_rule() {
    return {
        .id = "layout_conversions",
        .looks_for = "conversions between NCHW and NHWC",
        .needs = "names of kernels",
        .thresholds = {{"share", 3, "% of the wall clock",
                        "below, a change is lost in the noise of iterations"}},
        .bound = "the time in which such kernels run",
        .confidence = "high: the kernels' names say so",
        .remedy = "channels_last.",
        .lines =
            "model = model.to(memory_format=torch.channels_last)\nx = "
            "x.to(memory_format=torch.channels_last)",
        .query =
            "SELECT label, op_name, layer, count(*) AS kernels, sum(dur_ns) / 1e6 AS ms FROM kernels "
            "WHERE {range} AND regexp_matches(name, "
            "'(?i)nchw_?to_?nhwc|nhwc_?to_?nchw|nchwAddPadding|nhwcAddPadding') GROUP BY ALL ORDER "
            "BY ms DESC, label, op_name, layer LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "NVIDIA, convolutional layers user guide; PyTorch, channels last memory format",
        .of_durations = true,
        .of_kernels = true,
        .lacks = lacks_device_work,
        .check = check,
    };
}

}  // namespace opsight::advise
