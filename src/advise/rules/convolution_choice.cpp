#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of_convolution_choice(
                                                 c.session(), static_cast<int64_t>(c.threshold("calls"))));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{
        "convolution_choice", "note",
        fmt::format("Kernels of convolutions were chosen without a trial: {} of the time", percent(share))};
    finding.evidence = fmt::format(
        "{} of convolutions whose sizes come again, and the calls say so: benchmark = False. cuDNN and "
        "MIOpen then go by what is most often fastest.",
        c.how_often(found.count, "kernels"));
    finding.advice =
        "Where sizes stay, let the library try its kernels once for each size; the first iterations take "
        "longer for it.";
    finding.share_pct = share;
    finding.view = "kernels";
    finding.filter = "op_name:contains:convolution";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    std::string why = lacks_device_work(f);
    if (why.empty()) why = lacks_torch_ops(f);
    return !why.empty() || f.recorded.input_values
               ? why
               : "values of arguments of ops were not recorded (record_shapes of today's PyTorch)";
}

}  // namespace

Rule convolution_choice_rule() {
    return {
        .id = "convolution_choice",
        .looks_for = "convolutions whose kernels cuDNN or MIOpen chose without trying any",
        .needs = "values of the arguments of convolutions of PyTorch, and kernels",
        .thresholds = {{"share", 10, "% of the wall clock", "some convolutions are in every vision model"},
                       {"calls", 5, "calls with the same sizes",
                        "a search runs each kernel that fits once or more, and pays where sizes come again"}},
        .bound =
            "what the kernels of these convolutions take beyond the bound of their work, all of it where "
            "that is not known",
        .confidence =
            "low: that none was tried is recorded; whether another one is faster only a trial tells",
        .remedy = "Search once for each size.",
        .lines = "torch.backends.cudnn.benchmark = True  # where sizes stay",
        .query =
            "SELECT op_name, name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM kernels WHERE {range} AND "
            "op_name LIKE '%convolution%' AND NOT contains(name, 'at::native::') GROUP BY ALL ORDER BY ms "
            "DESC, op_name, name LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch performance tuning guide: cuDNN auto-tuner",
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
