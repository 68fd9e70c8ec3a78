#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

constexpr const char* kOps = "^aten::_?(slow_conv(_transpose)?[23]d.*|thnn_conv.*|slow_conv_dilated[23]d.*)$";
// With one thread PyTorch's own way is the faster one for these (ConvParams::use_mkldnn). The weights come
// second forward, and third backward.
constexpr const char* kOneByOne = R"(^\[\[[^\]]*\], (\[[^\]]*\], )?\[\d+, \d+, 1, 1\])";

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found,
                   query::times_of_ops(c.session(), {.pattern = kOps, .but_shapes = kOneByOne}));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{"plain_convolutions", "problem",
                    fmt::format("Convolutions without oneDNN take {} of the time", percent(share))};
    finding.evidence = c.how_often(found.count, "calls of ops such as slow_conv2d") +
                       ", PyTorch's own way where oneDNN (mkldnn) is off, was left out of the build, or does "
                       "not take the types or shapes.";
    finding.advice = "Turn oneDNN on; it takes float32 and bfloat16.";
    finding.share_pct = share;
    finding.view = "ops";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    const std::string why = lacks_work_of_the_cpu(f);
    return why.empty() ? lacks_shapes(f) : why;
}

}  // namespace

Rule plain_convolutions_rule() {
    return {
        .id = "plain_convolutions",
        .looks_for = "convolutions on a CPU that do not use oneDNN",
        .needs = "ops with shapes, and no device",
        .thresholds = {{"share", 3, "% of the wall clock",
                        "below, a change is lost in the noise of iterations"}},
        .bound = "the time of these convolutions, as if oneDNN took none",
        .confidence = "medium: oneDNN is most often faster, by how much is not in the recording",
        .remedy = "Use oneDNN.",
        .lines =
            "torch.backends.mkldnn.enabled = True  # the default; "
            "print(torch.backends.mkldnn.is_available())",
        .query =
            "SELECT name, layer, shapes, dtypes, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM ops "
            "WHERE {range} AND regexp_matches(name, 'slow_conv|thnn_conv') GROUP BY ALL ORDER BY ms "
            "DESC, name, layer, shapes, dtypes LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch performance tuning guide, CPU: oneDNN",
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
