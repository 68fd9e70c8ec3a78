#include "query/reports/viewer_tables.h"

#include "query/reports/kernel_choice.h"
#include "query/reports/op_groups.h"
#include "query/reports/sql.h"

namespace opsight::query {

namespace sql = reports::sql;

Result<ResultTable> searched_instances(Session& session, const TableShape& shape, bool places) {
    bool found = false;
    if (shape.page && !shape.page->search.empty()) {
        OPSIGHT_ASSIGN(found, choose_kernels_with(session, shape.page->search, places));
    }
    if (!found) {
        OPSIGHT_TRY(choose_all_kernels(session));
        return kernel_instances(session, shape, places);
    }
    TableShape rest = shape;
    rest.page->search.clear();
    OPSIGHT_ASSIGN(ResultTable table, kernel_instances(session, rest, places));
    if (rest.page->streamed) return table;
    if (rest.page->filters.empty()) table.rows_matching = table.rows_in_all;
    OPSIGHT_ASSIGN(const duck::Rows all, session.query(duck::Statement(sql::count_all_kernels)));
    table.rows_in_all = std::get<int64_t>(all.rows.at(0)[0]);
    return table;
}

Result<ResultTable> op_kernels(Session& session, const TableSubject& subject, const TableShape& shape) {
    OPSIGHT_TRY(choose_kernels_of_op(session, subject.op.value_or(-1)));
    return kernel_sums(session, shape);
}

Result<ResultTable> op_kernel_instances(Session& session, const TableSubject& subject,
                                        const TableShape& shape) {
    OPSIGHT_TRY(choose_kernels_of_op(session, subject.op.value_or(-1)));
    return kernel_instances(session, shape, true);
}

// From where an op was called: what `stack` of its row is the most costly of.
Result<ResultTable> op_stacks(Session& session, const TableSubject& subject, const TableShape& shape) {
    Question q{"op_stacks", "Where the Op Is Called"};
    q.columns = {{"stack", "Stack Trace", Unit::kNone, 0, Role::kStack},
                 {"calls", "No. Calls", Unit::kCount},
                 of_host({"total_cpu_time_ns", "Total CPU Time (ns)", Unit::kNs}),
                 of_device({"total_gpu_time_ns", "Total GPU Time (ns)", Unit::kNs})};
    q.rows = duck::Statement(sql::op_stacks).set("op", subject.op.value_or(-1));
    q.order = {{"total_cpu_time_ns", true}, {"calls", true}, {"stack", false}};
    return ask(session, q, shape);
}

Result<ResultTable> key_ops(Session& session, const TableSubject&, const TableShape& shape) {
    Question q{"key_ops", "Ops to Cut Iterations by"};
    q.columns = {{"name", "Name"},
                 {"kind", "Kind", Unit::kNone, 0, Role::kOpOrRange},
                 {"calls", "Calls", Unit::kCount},
                 {"ranks", "Ranks", Unit::kCount},
                 {"calls_per_rank", "Calls per Rank", Unit::kNone, 0, Role::kNumber},
                 of_host({"total_cpu_time_ns", "Total CPU Time (ns)", Unit::kNs}),
                 {"iterations_now", "Calls per Iteration Now", Unit::kNone, 0, Role::kNumber}};
    q.rows = sql::key_ops;
    q.order = {{"calls", false}, {"total_cpu_time_ns", true}, {"name", false}};
    return ask(session, q, shape);
}

Result<ResultTable> memory_allocators(Session& session, const TableSubject&, const TableShape& shape) {
    Question q{"memory_allocators", "Memory by Op"};
    q.columns = {{"rank", "Rank", Unit::kCount, 0, Role::kId},
                 {"device_type", "Device Type", Unit::kNone, 0, Role::kDeviceType},
                 {"device", "Device ID", Unit::kCount, 0, Role::kId},
                 {"op_id", "Op ID", Unit::kCount, 0, Role::kId},
                 {"op_name", "Op Name"},
                 {"direction", "Direction", Unit::kNone, 0, Role::kDirection},
                 {"layer", "Layer"},
                 {"allocations", "Allocations", Unit::kCount},
                 {"allocated_bytes", "Allocated (bytes)", Unit::kBytes},
                 {"largest_bytes", "Largest (bytes)", Unit::kBytes},
                 {"frees", "Frees", Unit::kCount},
                 {"freed_bytes", "Freed (bytes)", Unit::kBytes},
                 {"kept_bytes", "Allocated - Freed (bytes)", Unit::kBytes},
                 {"shapes", "Input Shapes", Unit::kNone, 0, Role::kShapes}};
    OPSIGHT_TRY(session.prepare(sql::ops_of_events));
    q.rows = shaped(sql::memory_allocators, shape);
    q.order = {
        {"allocated_bytes", true}, {"rank", false}, {"device", false}, {"op_name", false}, {"op_id", false}};
    return ask(session, q, shape);
}

Result<ResultTable> communication(Session& session, const TableSubject&, const TableShape& shape) {
    OPSIGHT_TRY(session.prepare(sql::exchange_kind));
    Question q{"communication", "Communication"};
    q.columns = {{"rank", "Rank", Unit::kCount, 0, Role::kId},
                 {"device", "Device ID", Unit::kCount, 0, Role::kId},
                 {"collective", "Operation"},
                 {"exchange", "Kind of Operation"},
                 {"dtype", "Data Type"},
                 {"group", "Process Group"},
                 {"group_size", "Group Size", Unit::kCount},
                 {"in_elements", "Elements In", Unit::kCount},
                 {"out_elements", "Elements Out", Unit::kCount},
                 {"calls", "Calls", Unit::kCount},
                 of_device({"total_gpu_time_ns", "Total GPU Time (ns)", Unit::kNs}),
                 of_device({"avg_gpu_time_ns", "Avg GPU Time (ns)", Unit::kNs}),
                 of_device({"min_gpu_time_ns", "Min GPU Time (ns)", Unit::kNs}),
                 of_device({"max_gpu_time_ns", "Max GPU Time (ns)", Unit::kNs}),
                 of_device({"kernel_name", "Kernel Name"})};
    q.rows = sql::communication;
    q.order = {{"total_gpu_time_ns", true}, {"rank", false},        {"device", false},
               {"collective", false},       {"in_elements", false}, {"kernel_name", false}};
    return ask(session, q, shape);
}

Result<ResultTable> communication_overlap(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(session.prepare(sql::communication_times));
    Question q{"overlap", "Communication and Computing"};
    q.columns = {{"rank", "Rank", Unit::kCount, 0, Role::kId},
                 {"device", "Device ID", Unit::kCount, 0, Role::kId},
                 {"communication_ns", "Communicating (ns)", Unit::kNs},
                 {"overlap_ns", "Hidden (ns)", Unit::kNs},
                 {"exposed_ns", "Exposed (ns)", Unit::kNs},
                 {"overlap_pct", "Hidden (%)", Unit::kPercent}};
    q.rows = sql::communication_overlap;
    q.order = {{"rank", false}, {"device", false}};
    return ask(session, q, shape);
}

}  // namespace opsight::query
