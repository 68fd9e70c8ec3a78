// The report with a row per op that could use Tensor Cores.
#include "query/reports/op_groups.h"
#include "query/reports/reports.h"
#include "query/reports/sql.h"

namespace opsight::query {
namespace {

std::vector<Column> eligible_columns() {
    return {{"op_id", "Op ID", Unit::kCount, 4, Role::kId},
            {"op_name", "Op Name"},
            {"direction", "Direction", Unit::kNone, 3, Role::kDirection},
            {"op_type", "Op Type", Unit::kNone, 6},
            of_device({"uses_tc", "Uses TC", Unit::kNone, 0, Role::kAnswer}),
            of_device({"total_gpu_time_ns", "Total GPU Time (ns)", Unit::kNs}),
            of_device({"tc_gpu_time_ns", "TC GPU Time (ns)", Unit::kNs, 1}),
            of_device({"non_tc_gpu_time_ns", "Non-TC GPU Time (ns)", Unit::kNs, 2}),
            of_device({"unknown_tc_gpu_time_ns", "Unknown TC GPU Time (ns)", Unit::kNs, 2}),
            of_device({"tc_utilization_pct", "TC Utilization (%)", Unit::kPercent, 2}),
            of_device({"tc_utilization_low_pct", "TC Utilization at Least (%)", Unit::kPercent, 7}),
            of_device({"tc_utilization_high_pct", "TC Utilization at Most (%)", Unit::kPercent, 7}),
            of_device({"kernels", "Total Kernel Count", Unit::kCount, 5}),
            of_device({"tc_kernels", "TC Kernel Count", Unit::kCount, 5}),
            of_device({"tc_kernel_names", "TC Kernel Names", Unit::kNone, 7}),
            of_device({"non_tc_kernels", "Non-TC Kernel Count", Unit::kCount, 5}),
            of_device({"non_tc_kernel_names", "Other Kernel Names", Unit::kNone, 8}),
            of_device({"unknown_tc_kernels", "Unknown TC Kernel Count", Unit::kCount, 6}),
            of_device({"tc_evidence", "TC Evidence", Unit::kNone, 6, Role::kEvidence}),
            {"calls", "No. Calls", Unit::kCount, 6},
            {"dtypes", "Data Type", Unit::kNone, 9, Role::kTypes},
            {"shapes", "Input Shapes", Unit::kNone, 0, Role::kShapes},
            {"layer", "Layer", Unit::kNone, 7}};
}

}  // namespace

Result<Report> tensor_core_report(Session& session, const TableShape& shape) {
    Question q{"tensor_core", "Tensor Cores (eligible ops)"};
    q.columns = group_columns(shape);
    append(q.columns, eligible_columns());
    q.rows = shaped(reports::sql::tensor_core, shape).set("device_work", session.contents().device_work);
    q.order = {{"total_gpu_time_ns", true}, {"op_name", false}, {"op_id", false}};
    order_by_groups(q, shape);
    OPSIGHT_ASSIGN(ResultTable table, ask(session, q, shape));
    Report report{"tensor_core", table.title, {}, {}};
    report.sections.push_back({std::move(table)});
    if (!session.contents().device_work)
        report.notes.push_back("the profile has no device work, so nothing can be said of Tensor Core use");
    return report;
}

}  // namespace opsight::query
