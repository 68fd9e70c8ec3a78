// The tables of source_reports.h.
#include "query/reports/op_groups.h"
#include "query/reports/source_reports.h"
#include "query/reports/sql.h"

namespace opsight::query {
namespace {

namespace sql = reports::sql;

// What `chosen` and `host_calls` are in the statements below.
Status prepare_chosen(Session& session) {
    OPSIGHT_TRY(session.prepare(duck::Statement(sql::chosen_times).set("whole", session.range().whole)));
    OPSIGHT_TRY(session.prepare(sql::call_stats));
    return session.prepare(sql::host_calls);
}

// Host calls are of a rank, and of no device.
std::vector<Column> ranks_of(TableShape shape) {
    shape.by_device = false;
    return group_columns(shape);
}
void order_by_ranks(Question& q, TableShape shape) {
    shape.by_device = false;
    order_by_groups(q, shape);
}

// How long calls took: columns after those that name them.
void add_times(Question& q) {
    append(q.columns, {{"calls", "No. Calls", Unit::kCount},
                       {"total_time_ns", "Total Time (ns)", Unit::kNs},
                       {"share_pct", "Time (%)", Unit::kPercent, 2},
                       {"avg_time_ns", "Avg (ns)", Unit::kNs, 1},
                       {"min_time_ns", "Min (ns)", Unit::kNs, 5},
                       {"median_time_ns", "Median (ns)", Unit::kNs, 3},
                       {"p95_time_ns", "P95 (ns)", Unit::kNs, 4},
                       {"max_time_ns", "Max (ns)", Unit::kNs, 2}});
    q.order = {{"total_time_ns", true}};
}

// Calls of one kind of raw.other_spans, by function and `more`.
Result<ResultTable> host_call_sums(Session& session, const TableShape& shape, Question q, Column more,
                                   const std::string& kind) {
    OPSIGHT_TRY(prepare_chosen(session));
    q.columns = ranks_of(shape);
    append(q.columns, {{"function", "Function"}, std::move(more)});
    add_times(q);
    q.columns.push_back({"threads", "Threads", Unit::kCount, 6});
    q.rows = duck::Statement(sql::host_call_sums).set("kind", kind).set("ranks_by", ranks_by(shape));
    q.order.emplace_back("function", false);
    order_by_ranks(q, shape);
    return ask(session, q, shape);
}

}  // namespace

Result<ResultTable> api_sums(Session& session, const TableShape& shape) {
    Question q{"api", "API Calls"};
    q.columns = ranks_of(shape);
    append(q.columns, {{"function", "Function"}, {"api", "API", Unit::kNone, 4}});
    add_times(q);
    append(q.columns, {{"failed", "Failed", Unit::kCount, 3}, {"threads", "Threads", Unit::kCount, 6}});
    OPSIGHT_TRY(session.prepare(sql::call_stats));
    q.rows = duck::Statement(sql::api_sums).set("ranks_by", ranks_by(shape));
    q.order.emplace_back("function", false);
    order_by_ranks(q, shape);
    return ask(session, q, shape);
}

Result<ResultTable> collectives(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(session.prepare(sql::matched_collectives));
    OPSIGHT_TRY(session.prepare(sql::exchange_kind));
    Question q{"collectives", "Communication"};
    q.columns = {{"collective", "Operation"},
                 {"exchange", "Kind of Operation", Unit::kNone, 1},
                 {"dtype", "Data Type", Unit::kNone, 4},
                 {"group", "Process Group", Unit::kNone, 4},
                 {"group_kind", "Kind of Group", Unit::kNone, 5},
                 {"ranks", "Ranks", Unit::kCount},
                 {"bytes", "Bytes", Unit::kBytes},
                 {"collectives", "Operations", Unit::kCount},
                 {"matched", "All Ranks Recorded", Unit::kCount, 3},
                 {"total_gpu_time_ns", "GPU Time (ns)", Unit::kNs},
                 {"waiting_ns", "Waiting (ns)", Unit::kNs},
                 {"waiting_pct", "Waiting %", Unit::kPercent, 2},
                 {"first_waiting_ns", "Of It in the First (ns)", Unit::kNs, 2},
                 {"exposed_ns", "Exposed (ns)", Unit::kNs, 4},
                 {"exposed_pct", "Exposed (%)", Unit::kPercent, 5},
                 {"last_rank", "Last Rank", Unit::kCount, 0, Role::kId},
                 {"last_times", "Times Last", Unit::kCount, 1},
                 {"transfer_ns", "Transfer at Most (ns)", Unit::kNs, 1},
                 {"bytes_per_s", "Bytes/s at Least", Unit::kBytesPerSecond, 3},
                 {"bus_bytes_per_s", "Bus Bytes/s at Least", Unit::kBytesPerSecond, 1},
                 {"link", "Link", Unit::kNone, 5},
                 {"peak_bytes_per_s", "Link Peak (bytes/s)", Unit::kBytesPerSecond, 5},
                 {"peak_pct", "Of Peak (%)", Unit::kPercent, 3},
                 {"kernel_name", "Kernel Name", Unit::kNone, 5}};
    q.rows = sql::collectives;
    q.order = {{"total_gpu_time_ns", true},
               {"collective", false},
               {"group", false},
               {"bytes", true},
               {"dtype", false},
               {"kernel_name", false}};
    return ask(session, q, shape);
}

Result<ResultTable> copy_sums(Session& session, const TableShape& shape) {
    Question q{"copies", "Copies and Sets"};
    if (shape.by_host)
        q.columns = {{"host", "Host"}};
    else
        q.columns = {{"rank", "Rank", Unit::kCount, 4, Role::kId}};
    append(q.columns, {{"device", "Device ID", Unit::kCount, 2, Role::kId},
                       {"operation", "Operation"},
                       {"from_memory", "From"},
                       {"to_memory", "To"},
                       {"count", "Count", Unit::kCount},
                       {"total_time_ns", "Total Time (ns)", Unit::kNs},
                       {"bytes", "Bytes", Unit::kBytes},
                       {"bytes_per_s", "Bytes/s", Unit::kBytesPerSecond},
                       {"avg_bytes", "Avg Size (bytes)", Unit::kBytes, 1},
                       {"min_bytes", "Min Size (bytes)", Unit::kBytes, 5},
                       {"max_bytes", "Max Size (bytes)", Unit::kBytes, 3},
                       {"avg_time_ns", "Avg Time (ns)", Unit::kNs, 3},
                       {"max_time_ns", "Max Time (ns)", Unit::kNs, 5},
                       {"remarks", "Remarks", Unit::kNone, 1}});
    q.rows = duck::Statement(sql::copy_sums).set("ranks_by", ranks_by(shape));
    q.order = {{"total_time_ns", true}, {"operation", false}, {"from_memory", false}, {"to_memory", false}};
    q.order.insert(q.order.end(), {{shape.by_host ? "host" : "rank", false}, {"device", false}});
    return ask(session, q, shape);
}

Result<ResultTable> os_call_sums(Session& session, const TableShape& shape) {
    return host_call_sums(session, shape, {"os_runtime", "Calls of the System"},
                          {"traced_as", "Traced As", Unit::kNone, 5}, "os_runtime");
}

Result<ResultTable> library_sums(Session& session, const TableShape& shape) {
    return host_call_sums(session, shape, {"libraries", "Calls of Libraries"}, {"library", "Library"},
                          "library");
}

Result<ResultTable> message_sums(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(prepare_chosen(session));
    Question q{"messages", "Message Passing"};
    q.columns = ranks_of(shape);
    append(q.columns, {{"own_rank", "MPI Rank", Unit::kCount, 0, Role::kId},
                       {"function", "Function"},
                       {"library", "Library", Unit::kNone, 4}});
    add_times(q);
    append(q.columns, {{"bytes", "Bytes of Messages", Unit::kBytes, 1},
                       {"sent_bytes", "Sent in Collectives (bytes)", Unit::kBytes, 1},
                       {"received_bytes", "Received in Collectives (bytes)", Unit::kBytes, 1}});
    q.rows = duck::Statement(sql::message_sums).set("ranks_by", ranks_by(shape));
    q.order.insert(q.order.end(), {{"function", false}, {"own_rank", false}});
    order_by_ranks(q, shape);
    return ask(session, q, shape);
}

Result<ResultTable> file_sums(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(prepare_chosen(session));
    Question q{"file_access", "Accesses to Files"};
    q.columns = ranks_of(shape);
    q.columns.push_back({"access", "Access"});
    add_times(q);
    append(q.columns,
           {{"bytes", "Bytes", Unit::kBytes, 1}, {"bytes_per_s", "Bytes/s", Unit::kBytesPerSecond, 2}});
    q.rows = duck::Statement(sql::file_sums).set("ranks_by", ranks_by(shape));
    q.order.emplace_back("access", false);
    order_by_ranks(q, shape);
    return ask(session, q, shape);
}

Result<ResultTable> migration_sums(Session& session, const TableShape& shape) {
    Question q{"migrations", "Migrations of Unified Memory"};
    q.columns = {{"rank", "Rank", Unit::kCount, 4, Role::kId},
                 {"device", "Device ID", Unit::kCount, 2, Role::kId},
                 {"operation", "Operation"},
                 {"cause", "Cause"},
                 {"count", "Count", Unit::kCount},
                 {"total_time_ns", "Total Time (ns)", Unit::kNs},
                 {"bytes", "Bytes", Unit::kBytes},
                 {"bytes_per_s", "Bytes/s", Unit::kBytesPerSecond, 1}};
    q.rows = sql::migration_sums;
    q.order = {
        {"total_time_ns", true}, {"operation", false}, {"cause", false}, {"rank", false}, {"device", false}};
    return ask(session, q, shape);
}

Result<ResultTable> fault_sums(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(prepare_chosen(session));
    Question q{"page_faults", "Page Faults of Unified Memory"};
    q.columns = {{"rank", "Rank", Unit::kCount, 4, Role::kId},
                 {"device", "Device ID", Unit::kCount, 0, Role::kId},
                 {"side", "Side"},
                 {"access", "Access or Function"},
                 {"faults", "Faults", Unit::kCount},
                 {"events", "Events", Unit::kCount, 2},
                 {"total_time_ns", "Total Time (ns)", Unit::kNs, 1}};
    q.rows = sql::fault_sums;
    q.order = {{"faults", true}, {"side", false}, {"access", false}, {"rank", false}, {"device", false}};
    return ask(session, q, shape);
}

Result<ResultTable> counter_sums(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(prepare_chosen(session));
    Question q{"counters", "Counters"};
    q.columns = {{"rank", "Rank", Unit::kCount, 4, Role::kId},
                 {"device", "Device ID", Unit::kCount, 1, Role::kId},
                 {"subject", "Subject"},
                 {"counter", "Counter"},
                 {"samples", "Samples", Unit::kCount, 2},
                 {"avg", "Mean of Samples"},
                 {"min", "Min", Unit::kNone, 1},
                 {"median", "Median", Unit::kNone, 3},
                 {"p95", "P95", Unit::kNone, 2},
                 {"max", "Max"}};
    q.rows = sql::counter_sums;
    q.order = {{"subject", false}, {"rank", false}, {"device", false}, {"counter", false}};
    return ask(session, q, shape);
}

Result<ResultTable> sample_sums(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(prepare_chosen(session));
    Question q{"cpu_samples", "CPU Samples"};
    q.columns = {{"function", "Function"},
                 {"self_samples", "Self Samples", Unit::kCount},
                 {"self_share_pct", "Self (%)", Unit::kPercent},
                 {"samples", "Samples with Callees", Unit::kCount},
                 {"share_pct", "With Callees (%)", Unit::kPercent, 1}};
    q.rows = sql::sample_sums;
    q.order = {{"self_samples", true}, {"samples", true}, {"function", false}};
    return ask(session, q, shape);
}

}  // namespace opsight::query
