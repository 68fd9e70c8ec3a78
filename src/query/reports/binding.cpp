#include "query/reports/binding.h"

#include <fmt/format.h>

#include "query/reports/device_use.h"

namespace opsight::query {

std::string Binding::sort_key(std::string_view report) const {
    return report == "group_op" ? "total_cpu_time_ns" : "self_cpu_time_ns";
}

Result<Binding> what_binds(Session& session) {
    Binding out;
    if (!session.contents().device_work) return out;
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query(fmt::format("WITH p AS (SELECT s.resource, sum({}) AS ns FROM "
                                             "raw.resource_segments s JOIN sel_wall w ON w.rank = "
                                             "s.rank GROUP BY 1) SELECT 100.0 * (sum(ns) FILTER (WHERE "
                                             "resource IN (0, 1, 2, 3, 8))) / (SELECT "
                                             "nullif(sum(wall_ns), 0) FROM sel_wall_sums) FROM p",
                                             kInsideWall)));
    const double* at_work = std::get_if<double>(&rows.rows.at(0)[0]);
    if (!at_work) return out;
    constexpr double kHalf = 50;
    out.host = *at_work < kHalf;
    out.words = fmt::format(
        "a device was at work for {:.1f}% of the wall clock: {} binds this run, and rows go by "
        "time on {}",
        *at_work, out.host ? "the host" : "the device", out.host ? "the CPU" : "the GPU");
    return out;
}

Result<bool> ranges_explain(Session& session) {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        session.query(
            "SELECT coalesce(max(ns), 0) > 0.1 * (SELECT sum(wall_ns) FROM sel_wall_sums) FROM (SELECT "
            "x.text AS name, sum(a.dur_ns) AS ns FROM sel_annotations a JOIN raw.strings x ON x.id = a.name "
            "GROUP "
            "BY 1) WHERE NOT starts_with(name, 'ProfilerStep') AND split_part(name, ',', 1) NOT IN (SELECT "
            "name "
            "FROM raw.op_identities)"));
    const bool* explain = std::get_if<bool>(&rows.rows.at(0)[0]);
    return explain && *explain;
}

}  // namespace opsight::query
