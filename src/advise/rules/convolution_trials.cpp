#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of_convolution_trials(
                                                 c.session(), static_cast<int64_t>(c.threshold("kernels"))));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{
        "convolution_trials", "problem",
        fmt::format("Convolutions try many kernels within the range: {} of the time", percent(share))};
    finding.evidence = fmt::format(
        "{} of calls that launch {:g} different kernels or more: so cuDNN and MIOpen look "
        "for the fastest.",
        c.how_often(found.count, "kernels"), c.threshold("kernels"));
    finding.advice =
        "Trials belong to the first iterations. Where they come again, sizes change: fix them, or turn the "
        "search off.";
    finding.share_pct = share;
    finding.view = "kernels";
    finding.filter = "op_name:contains:convolution";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    std::string why = lacks_device_work(f);
    return why.empty() ? lacks_ops(f) : why;
}

}  // namespace

Rule convolution_trials_rule() {
    return {
        .id = "convolution_trials",
        .looks_for = "convolutions that look for their fastest kernel again and again",
        .needs = "ops, and kernels",
        .thresholds = {{"share", 5, "% of the wall clock", "what takes less is hardly a headline"},
                       {"kernels", 12, "different kernels of a call",
                        "a backward convolution and its conversions launch up to eight"}},
        .bound = "the time of these kernels; one of them is left of each call",
        .confidence = "medium: the calls are recorded, the reason is not",
        .remedy = "Fixed sizes, or no search.",
        .lines = "torch.backends.cudnn.benchmark = False  # where sizes change",
        .query =
            "SELECT op_name, count(DISTINCT name) AS kernels, sum(dur_ns) / 1e6 AS ms FROM kernels "
            "WHERE {range} AND op_name LIKE '%convolution%' GROUP BY ALL ORDER BY ms DESC, op_name "
            "LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch performance tuning guide: cuDNN auto-tuner",
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
