#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    const double part = c.threshold("part");
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of_tile_tails(c.session(), part));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share") || found.count < c.parts()) return {};
    OPSIGHT_ASSIGN(const auto most, query::largest_tile_tail(c.session(), part));
    if (!most) return {};
    Finding finding{"tile_tails", "problem",
                    fmt::format("Tiles of matrix products that their results do not fill take {} of {}",
                                percent(share), c.the_time())};
    finding.evidence = fmt::format(
        "Most of it {}: results of {} x {} in tiles of {} x {}, of which {} is no part of them. {}. An "
        "estimate: it takes all tiles to take equally long.",
        most->op, most->rows, most->columns, most->tile_rows, most->tile_columns, percent(most->empty_pct),
        c.how_often(found.count, "such kernels"));
    finding.advice =
        "Sizes at or just below a multiple of the tile, or products put together into larger ones (batch, "
        "heads, "
        "fused projections); a fused attention has none of these results.";
    finding.share_pct = share;
    finding.view = "kernels";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    std::string why = lacks_device_work(f);
    return why.empty() ? lacks_shapes(f) : why;
}

}  // namespace

Rule tile_tails_rule() {
    return {
        .id = "tile_tails",
        .looks_for = "matrix products whose results leave part of their last tiles empty (tile quantization)",
        .needs = "ops with shapes, and kernels whose names tell their tile",
        .thresholds = {{"share", 5, "% of the wall clock", "what takes less is hardly a headline"},
                       {"part", 12.5, "% of the tiles", "an eighth: most sizes leave less than that over"}},
        .bound = "the part of each such kernel that its tiles cover beside the result, tiles equally long",
        .confidence = "low: an estimate; a library may choose another tile for another size",
        .remedy = "Fill whole tiles.",
        .query =
            "SELECT k.op_name, o.shapes, k.label, regexp_extract(k.name, "
            "'(?:gemm(?:_[a-z0-9]+)*?_|tilesize|nvjet_[a-z]+_|_MT)(\\d{2,3}x\\d{2,3})', 1) AS tile, "
            "count(*) AS kernels, sum(k.dur_ns) / 1e6 AS ms FROM (SELECT op_name, label, name, "
            "dur_ns, op_span FROM kernels WHERE {range} AND regexp_matches(op_name, "
            "'^aten::(mm|addmm|bmm|baddbmm|_scaled_mm)$')) k JOIN ops o ON o.id = k.op_span GROUP BY "
            "ALL HAVING tile <> '' ORDER BY ms DESC, k.op_name, o.shapes, k.label, tile LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "NVIDIA, matrix multiplication background: tile quantization",
        .of_durations = true,
        .of_kernels = true,
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
