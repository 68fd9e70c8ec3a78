#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of_misaligned_products(
                                                 c.session(), static_cast<int64_t>(c.threshold("multiple"))));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share") || found.count < c.parts()) return {};
    Finding finding{
        "misaligned_sizes", "problem",
        fmt::format("16-bit matrix products with sizes that are not multiples of {:.0f} take {} of {}",
                    c.threshold("multiple"), percent(share), c.the_time())};
    finding.evidence = c.how_often(found.count, "kernels of such products") + ".";
    finding.advice =
        "Inner and last sizes (vocabulary, hidden, sequence) padded to a multiple of 8 (better 64) let "
        "Tensor "
        "Cores load whole vectors: the rows name the products.";
    finding.share_pct = share;
    finding.view = "kernels";
    OPSIGHT_ASSIGN(finding.times, with_pauses(c, std::move(found.times)));
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    for (const auto asked : {lacks_device_work, lacks_shapes, lacks_dtypes})
        if (std::string why = asked(f); !why.empty()) return why;
    return {};
}

}  // namespace

Rule misaligned_sizes_rule() {
    return {
        .id = "misaligned_sizes",
        .looks_for = "sizes of matrix products that fit Tensor Cores badly",
        .needs = "ops with shapes and types, and work of a device",
        .thresholds = {{"share", 5, "% of the wall clock", "what takes less is hardly a headline"},
                       {"multiple", 8, "elements", "16 bytes of 16-bit floats, the widest load"}},
        .bound = "the time of these products; padded ones still take a part of it",
        .confidence = "medium: newer libraries pad by themselves, at a cost",
        .remedy = "Pad sizes.",
        .lines = "size = (size + 63) // 64 * 64  # where it is not a multiple of 8",
        .query =
            "SELECT op_name, shapes, sum(kernel_ns) / 1e6 AS ms FROM (SELECT name AS op_name, "
            "shapes, kernel_ns, list_transform(string_split(regexp_extract_all(shapes, '\\[(\\d+(?:, "
            "\\d+)+)\\]', 1)[CASE WHEN name IN ('aten::addmm', 'aten::baddbmm') THEN -1 ELSE 2 END], "
            "', '), lambda x: TRY_CAST(x AS BIGINT)) AS second FROM ops WHERE {range} AND "
            "regexp_matches(name, '^aten::(mm|addmm|bmm|baddbmm|_scaled_mm)$') AND "
            "regexp_matches(dtypes, 'Half|BFloat16|float16|bfloat16')) WHERE second[-1] > 8 AND "
            "second[-1] % 8 <> 0 OR second[-2] > 8 AND second[-2] % 8 <> 0 GROUP BY ALL ORDER BY ms "
            "DESC, op_name, shapes LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "NVIDIA, matrix multiplication background user guide",
        .of_durations = true,
        .of_kernels = true,
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
