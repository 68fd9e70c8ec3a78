// Kernels by their names alone, whatever launched them.
#include <fmt/format.h>

#include "query/reports/device_use.h"
#include "query/reports/op_groups.h"
#include "query/reports/path_columns.h"
#include "query/reports/reports.h"
#include "query/reports/sql.h"

namespace opsight::query {

Result<Report> kernel_name_report(Session& session, const TableShape& shape) {
    Question q{"kernel_name", "Kernels by Name"};
    q.columns = group_columns(shape);
    // A line has no room for a whole name: its label has what tells it from others.
    if (shape.for_people) q.columns.push_back(of_device({"label", "Label"}));
    append(q.columns, {
                          of_device({"kernel_name", "Kernel Name", Unit::kNone, shape.for_people ? 7 : 0}),
                          of_device({"uses_tc", "Uses TC", Unit::kNone, 1, Role::kAnswer}),
                          {"calls", "No. Calls", Unit::kCount},
                          of_device({"total_gpu_time_ns", "Total GPU Time (ns)", Unit::kNs}),
                          of_device({"kernel_share_pct", "Kernel Time (%)", Unit::kPercent, 1}),
                          of_device({"avg_gpu_time_ns", "Avg GPU Time (ns)", Unit::kNs, 2}),
                          of_device({"min_gpu_time_ns", "Min GPU Time (ns)", Unit::kNs, 4}),
                          of_device({"max_gpu_time_ns", "Max GPU Time (ns)", Unit::kNs, 4}),
                          {"ops", "# Ops", Unit::kCount, 3},
                          {"class", "Class", Unit::kNone, 5, Role::kWorkClass},
                          {"short_name", "Short Name", Unit::kNone, 6},
                      });
    if (!shape.for_people) q.columns.push_back({"label", "Label", Unit::kNone, 7});
    add_path_column(q.columns, shape);
    OPSIGHT_ASSIGN(std::vector<std::string> notes, make_path_of_work(session, shape));
    q.rows = shaped(reports::sql::kernel_names, shape);
    q.order = {{"total_gpu_time_ns", true}, {"kernel_name", false}};
    order_by_groups(q, shape);
    OPSIGHT_ASSIGN(ResultTable table, ask(session, q, shape));
    Report report{"kernel_name", table.title, {}, std::move(notes)};
    if (!session.contents().device_work)
        report.notes.push_back(fmt::format("the profile has no kernels: {}", without_device_work(session)));
    report.sections.push_back({std::move(table)});
    return report;
}

}  // namespace opsight::query
