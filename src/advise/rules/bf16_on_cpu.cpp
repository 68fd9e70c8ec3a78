#include <fmt/format.h>

#include "advise/rules/rules.h"
#include "query/reports/advice_work.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(const auto rates, query::host_rates(c.session()));
    const auto [fp32, bf16] = rates;
    if (fp32 <= 0 || bf16 < c.threshold("times") * fp32) return {};
    OPSIGHT_ASSIGN(const query::HostProducts products, query::host_products(c.session()));
    if (products.farthest && products.reached_pct() < c.threshold("reached"))
        return c.cannot("the products are far from the peak that they have: see slow_products"), Status();
    OPSIGHT_ASSIGN(const query::Occurrences found,
                   query::times_of_ops(c.session(), {.pattern = kHostProducts, .dtypes = "^\\[\"float"}));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{
        "bf16_on_cpu", "note",
        fmt::format("Products on FP32 take {} of the time, and the processor does BF16 {:.1f} times as fast",
                    percent(share), bf16 / fp32)};
    finding.evidence = fmt::format("{}. At the processor's peaks {} of the time would be saved.",
                                   c.how_often(found.count, "products and convolutions"),
                                   percent(share * (1 - fp32 / bf16)));
    finding.advice =
        "Automatic mixed precision on the CPU runs them on BF16; whether the model's accuracy allows it, a "
        "test tells.";
    if (c.facts().torch)
        finding.lines =
            "with torch.autocast(\"cpu\", dtype=torch.bfloat16):  # forward pass and loss\n    loss = "
            "loss_of(model(x), y)";
    finding.share_pct = share;
    finding.view = "ops";
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    const std::string why = lacks_peaks_of_the_cpu(f);
    return why.empty() ? lacks_dtypes(f) : why;
}

}  // namespace

Rule bf16_on_cpu_rule() {
    return {
        .id = "bf16_on_cpu",
        .looks_for = "products on FP32 on a processor that does BF16 faster",
        .needs = "ops with types, recorded by opsight profile, and no device",
        .thresholds = {{"share", 20, "% of the wall clock", "the rest of the run stays as it is"},
                       {"reached", 30, "% of what FP32 could do",
                        "what is far from one peak would be as far from another"},
                       {"times", 1.5, "times the rate of FP32", "conversions take some of the gain"}},
        .bound = "",
        .confidence = "low: rates are those of the processor's units; accuracy is not in the recording",
        .remedy = "BF16.",
        .query =
            "SELECT name, dtypes, count(*) AS calls, sum(self_ns) / 1e6 AS ms FROM ops WHERE {range} "
            "AND regexp_matches(name, "
            "'^aten::(mm|addmm|bmm|baddbmm|mkldnn_convolution|mkldnn_linear|convolution_backward|_"
            "convolution|thnn_conv2d|slow_conv2d_forward)$') "
            "AND dtypes LIKE '[\"float%' GROUP BY ALL ORDER BY ms DESC, name, dtypes",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source =
            "PyTorch performance tuning guide, CPU: BF16 with AMX and AVX-512; oneDNN, bfloat16 training",
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
