// The report "ranges": a row for each name of range_sums.h.
#include <fmt/format.h>

#include "query/reports/reports.h"
#include "query/session/range_sums.h"

namespace opsight::query {

Result<ResultTable> range_list(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(session.prepare_ranges());
    if (shape.merge_numbers) OPSIGHT_TRY(merge_ranges(session));
    const std::string sums = shape.merge_numbers ? "merged_ranges" : "sel_ranges";
    Question q{"ranges", "Ranges"};
    const auto time = [&q](const char* key, const char* head, const char* column, int priority,
                           bool device = false) {
        q.fields.push_back({{key, head, Unit::kNs, priority}, column, device});
    };
    q.fields = {
        {{"range_id", "Range ID", Unit::kCount, 12, Role::kId}, "s.label::BIGINT * 2 + s.style"},
        {{"range", "Range"}, "s.name"},
        {{"domain", "Domain", Unit::kNone, 5}, "nullif(s.domain, '')"},
        {{"style", "Style", Unit::kNone, 8}, "CASE s.style WHEN 0 THEN 'push/pop' ELSE 'start/end' END"},
        {{"calls", "No. Calls", Unit::kCount}, "s.calls"}};
    time("self_time_ns", "Self Time (ns)", "s.self_ns", 0);
    q.fields.push_back({{"self_share_pct", "Self Time (%)", Unit::kPercent, 4},
                        fmt::format("100.0 * s.self_ns / nullif((SELECT sum(self_ns) FROM {}), 0)", sums)});
    time("total_time_ns", "Total Time (ns)", "s.total_ns", 0);
    time("avg_time_ns", "Avg (ns)", "s.avg_ns", 1);
    time("median_time_ns", "Median (ns)", "s.median_ns", 3);
    time("p95_time_ns", "P95 (ns)", "s.p95_ns", 2);
    time("min_time_ns", "Min (ns)", "s.min_ns", 6);
    time("max_time_ns", "Max (ns)", "s.max_ns", 6);
    time("stddev_time_ns", "Standard Deviation (ns)", "s.stddev_ns", 9);
    q.fields.push_back({{"threads", "Threads", Unit::kCount, 7}, "s.threads"});
    time("projected_gpu_time_ns", "Projected GPU Time (ns)", "s.gpu_ns", 1, true);
    q.fields.push_back({{"gpu_ops", "GPU Ops", Unit::kCount, 5}, "s.gpu_ops", true});
    q.source = sums + " s";
    q.order = {{"self_time_ns", true}, {"total_time_ns", true}, {"range", false}, {"range_id", false}};
    return ask(session, q, shape);
}

Result<Report> range_report(Session& session, const TableShape& shape) {
    Report report{"ranges", "Ranges", {}, {}};
    OPSIGHT_ASSIGN(ResultTable table, range_list(session, shape));
    if (table.rows.empty() && !table.stream && !session.contents().ranges)
        report.notes.push_back(
            "the profile has no named ranges: NVTX calls around the parts of a program make them "
            "(docs/COLLECTING.md)");
    report.sections.push_back({std::move(table)});
    return report;
}

}  // namespace opsight::query
