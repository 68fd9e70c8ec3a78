// The report "ranges": a row for each name of range_sums.h.
#include "query/reports/op_groups.h"
#include "query/reports/reports.h"
#include "query/reports/sql.h"
#include "query/session/range_sums.h"

namespace opsight::query {

Result<ResultTable> range_list(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(session.prepare_ranges());
    if (shape.merge_numbers) OPSIGHT_TRY(merge_ranges(session));
    OPSIGHT_TRY(session.prepare(reports::sql::range_rows));
    Question q{"ranges", "Ranges"};
    q.columns = {{"range_id", "Range ID", Unit::kCount, 12, Role::kId},
                 {"range", "Range"},
                 {"domain", "Domain", Unit::kNone, 5},
                 {"style", "Style", Unit::kNone, 8},
                 {"calls", "No. Calls", Unit::kCount},
                 {"self_time_ns", "Self Time (ns)", Unit::kNs},
                 {"self_share_pct", "Self Time (%)", Unit::kPercent, 4},
                 {"total_time_ns", "Total Time (ns)", Unit::kNs},
                 {"avg_time_ns", "Avg (ns)", Unit::kNs, 1},
                 {"median_time_ns", "Median (ns)", Unit::kNs, 3},
                 {"p95_time_ns", "P95 (ns)", Unit::kNs, 2},
                 {"min_time_ns", "Min (ns)", Unit::kNs, 6},
                 {"max_time_ns", "Max (ns)", Unit::kNs, 6},
                 {"stddev_time_ns", "Standard Deviation (ns)", Unit::kNs, 9},
                 {"threads", "Threads", Unit::kCount, 7},
                 of_device({"projected_gpu_time_ns", "Projected GPU Time (ns)", Unit::kNs, 1}),
                 of_device({"gpu_ops", "GPU Ops", Unit::kCount, 5})};
    q.rows = duck::Statement(reports::sql::ranges_by_name)
                 .set("sums", shape.merge_numbers ? "merged_ranges" : "sel_ranges");
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
