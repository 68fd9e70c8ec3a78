// Ops by their names alone, whatever layers and shapes they run in.
#include "query/reports/outside_ops.h"
#include "query/reports/sql.h"
#include "query/reports/viewer_tables.h"

namespace opsight::query {

Result<ResultTable> op_names(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(make_op_sums(session));
    Question q{"op_names", "Ops by Name"};
    q.columns = {
        {"op_name", "Op Name"},
        {"op_type", "Op Type"},
        {"ops", "# Ops", Unit::kCount, 1},
        {"calls", "No. Calls", Unit::kCount},
        {"self_gpu_time_ns", "Self GPU Time (ns)", Unit::kNs},
        of_host({"self_cpu_time_ns", "Self CPU Time (ns)", Unit::kNs}),
        {"kernels", "No. Kernels", Unit::kCount, 1},
        {"using_tc", "Using TC", Unit::kNone, 1, Role::kAnswer},
    };
    q.rows = reports::sql::op_names;
    const bool gpu = session.contents().device_work;
    q.order = {{gpu ? "self_gpu_time_ns" : "self_cpu_time_ns", true}, {"op_name", false}};
    return ask(session, q, shape);
}

}  // namespace opsight::query
