// Reports with a row per op, op type or layer.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "query/reports/op_callers.h"
#include "query/reports/op_groups.h"
#include "query/reports/op_quantiles.h"
#include "query/reports/outside_ops.h"
#include "query/reports/path_columns.h"
#include "query/reports/sql.h"
#include "query/reports/work.h"
#include "query/session/cells.h"

namespace opsight::query {
namespace {

namespace sql = reports::sql;

using Told = Column (*)(Column);  // of_host, of_device or both: what must have been recorded

Column of_both(Column column) {
    return of_host(of_device(std::move(column)));
}

// Total, average, least and most of one kind of time.
std::vector<Column> times(const std::string& key, const std::string& head, Told told, int priority) {
    const auto of = [&](const std::string& which, const std::string& shown, int more) {
        return told(
            Column{which + "_" + key + "_ns", shown + " " + head + " (ns)", Unit::kNs, priority + more});
    };
    return {of("total", "Total", 0), of("avg", "Avg.", 1), of("min", "Min", 3), of("max", "Max", 3)};
}

// The sixteen time columns of DLProf's op reports.
std::vector<Column> sixteen_times(bool gpu_first) {
    std::vector<Column> all = times("cpu_time", "CPU Time", of_host, gpu_first ? 2 : 1);
    append(all, times("gpu_time", "GPU Time", of_device, 1));
    append(all, times("cpu_overhead", "CPU Overhead", of_both, 5));
    append(all, times("gpu_idle", "GPU Idle", of_device, 5));
    return all;
}

// By self time on the GPU, or else on the CPU: by their whole time an op and all that it calls would stand
// below each other with nearly the same number.
std::pair<std::string, bool> main_order(const Session& session) {
    return {session.contents().device_work ? "self_gpu_time_ns" : "self_cpu_time_ns", true};
}

// `session`: of a report about ops, which a program without a framework has none of.
Report single(std::string name, ResultTable table, const Session* session = nullptr, bool of_layers = false) {
    Report report;
    report.name = std::move(name);
    report.title = table.title;
    const auto rows = table.rows_in_all >= 0 ? table.rows_in_all : std::ssize(table.rows);
    if (session && rows == 0 && !session->contents().ops && session->contents().ranges)
        report.notes.push_back(
            "the profile has no ops of a framework; --report ranges lists the ranges that the program names");
    else if (of_layers && rows <= 1)
        report.notes.push_back("no layers are known: the source has no module calls, stacks or layer names");
    report.sections.push_back({std::move(table)});
    return report;
}

std::vector<Column> detailed_columns(bool gpu) {
    std::vector<Column> columns = {
        {"op_id", "Op ID", Unit::kCount, 6, Role::kId},
        {"op_name", "Op Name"},
        {"direction", "Direction", Unit::kNone, 3, Role::kDirection},
        {"op_type", "Op Type", Unit::kNone, 7},
        {"calls", "No. Calls", Unit::kCount, gpu ? 1 : 2},
        of_device({"tc_eligible", "TC Eligible", Unit::kNone, 6, Role::kYesNo}),
        of_device({"using_tc", "Using TC", Unit::kNone, 3, Role::kAnswer}),
    };
    append(columns, sixteen_times(gpu));
    append(columns, {{"dtypes", "Data Type", Unit::kNone, 9, Role::kTypes},
                     {"stack", "Stack Trace", Unit::kNone, 20, Role::kStack},
                     {"layer", "Layer", Unit::kNone, gpu ? 2 : 0},
                     {"shapes", "Input Shapes", Unit::kNone, 0, Role::kShapes},
                     of_host({"self_cpu_time_ns", "Self CPU Time (ns)", Unit::kNs, gpu ? 2 : 0}),
                     of_device({"self_gpu_time_ns", "Self GPU Time (ns)", Unit::kNs}),
                     of_both({"total_api_time_ns", "Total API Time (ns)", Unit::kNs, 7}),
                     of_host({"median_cpu_time_ns", "Median CPU Time (ns)", Unit::kNs, 4}),
                     of_host({"p95_cpu_time_ns", "P95 CPU Time (ns)", Unit::kNs, 6}),
                     of_device({"median_gpu_time_ns", "Median GPU Time (ns)", Unit::kNs, 4}),
                     of_device({"p95_gpu_time_ns", "P95 GPU Time (ns)", Unit::kNs, 6}),
                     of_device({"kernel_time_ns", "Kernel GPU Time (ns)", Unit::kNs, 8}),
                     of_device({"kernels", "Kernels", Unit::kCount, 8}),
                     of_device({"memcpys", "Memcpys", Unit::kCount, 9}),
                     of_device({"memsets", "Memsets", Unit::kCount, 9})});
    return columns;
}

std::vector<Column> type_columns(bool gpu) {
    std::vector<Column> columns = {
        {"op_type", "Op Type"}, {"ops", "# Ops", Unit::kCount, 2}, {"calls", "# Calls", Unit::kCount, 1}};
    append(columns, sixteen_times(gpu));
    append(columns, {of_host({"self_cpu_time_ns", "Self CPU Time (ns)", Unit::kNs, 1}),
                     of_device({"self_gpu_time_ns", "Self GPU Time (ns)", Unit::kNs}),
                     of_host({"median_cpu_time_ns", "Median CPU Time (ns)", Unit::kNs, 4}),
                     of_host({"p95_cpu_time_ns", "P95 CPU Time (ns)", Unit::kNs, 6})});
    return columns;
}

std::vector<Column> layer_columns(bool gpu) {
    std::vector<Column> columns = {{"name", "Name"},
                                   {"calls", "Num Calls Aggregated", Unit::kCount, 2},
                                   of_device({"tc_eligible_ops", "Num TC Eligible Ops", Unit::kCount, 4}),
                                   of_device({"tc_ops", "Num Ops Using TC", Unit::kCount, 4})};
    append(columns, sixteen_times(gpu));
    const int cpu_parts = gpu ? 7 : 1;
    append(columns, {of_host({"self_cpu_time_ns", "Self CPU Time (ns)", Unit::kNs, 8}),
                     of_host({"forward_cpu_time_ns", "Forward CPU Time (ns)", Unit::kNs, cpu_parts}),
                     of_host({"backward_cpu_time_ns", "Backward CPU Time (ns)", Unit::kNs, cpu_parts}),
                     of_device({"forward_gpu_time_ns", "Forward GPU Time (ns)", Unit::kNs, 3}),
                     of_device({"backward_gpu_time_ns", "Backward GPU Time (ns)", Unit::kNs, 3}),
                     {"ops", "# Ops", Unit::kCount, 6}});
    return columns;
}

Status make_outside_work(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(session.execute(shaped(sql::outside_work, shape)));
    return {};
}

Status make_op_sums(Session& session, const TableShape& shape, bool by_type) {
    OPSIGHT_TRY(make_outside_work(session, shape));
    OPSIGHT_TRY(session.execute(shaped(sql::op_sums, shape).set("by_type", by_type)));
    return {};
}

// A question over sums of ops and of their work, both parted in the same way.
Question op_question(Session& session, const TableShape& shape, std::string name, std::string title,
                     std::vector<Column> columns) {
    Question q{std::move(name), std::move(title)};
    q.columns = group_columns(shape);
    append(q.columns, std::move(columns));
    append(q.columns, work_columns(false));
    q.order = {main_order(session), {"total_cpu_time_ns", true}};
    return q;
}

// Medians and stacks look at every instance: a table of some rows works them out for these rows only.
bool sorts_by_distribution(const TableShape& shape) {
    std::string sort;
    for (const char c : shape.sort)
        sort += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return sort.starts_with("median") || sort.starts_with("p95") || sort.starts_with("stack");
}

// The ops that a table shows, as "[3, 5]".
std::string shown_in(const ResultTable& table) {
    const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                                     [](const Column& c) { return c.key == "op_id"; });
    const auto index = static_cast<size_t>(column - table.columns.begin());
    std::string list;
    for (const auto& row : table.rows)
        if (const int64_t* op = std::get_if<int64_t>(&row[index]))
            list += (list.empty() ? "" : ", ") + std::to_string(*op);
    return "[" + list + "]";
}

// Medians and stacks of these ops, or of all.
Status look_at_instances(Session& session, const TableShape& shape, duck::Cell ops) {
    OPSIGHT_TRY(session.execute(duck::Statement(sql::shown_ops).set("ops", std::move(ops))));
    return make_op_quantiles(session, ranks_by(shape), shape.by_device);
}

// `whole`: with what only a page of layers needs.
Result<ResultTable> layer_sums(Session& session, const TableShape& shape, Question q, bool whole) {
    OPSIGHT_TRY(make_outside_work(session, shape));
    OPSIGHT_TRY(make_work_rows(session, shape, "subtree"));
    OPSIGHT_TRY(session.execute(
        duck::Statement(sql::layer_kernels).set("wanted", whole).set("ranks_by", ranks_by(shape))));
    q.rows = shaped(sql::op_layers, shape);
    add_path_column(q.columns, shape);
    OPSIGHT_ASSIGN(const std::vector<std::string> notes, make_path_of_work(session, shape));
    q.order = {{session.contents().device_work ? "total_gpu_time_ns" : "total_cpu_time_ns", true},
               {"total_cpu_time_ns", true},
               {"name", false}};
    order_by_groups(q, shape);
    OPSIGHT_ASSIGN(ResultTable table, ask_with_work(session, q, shape));
    table.notes.insert(table.notes.end(), notes.begin(), notes.end());
    return table;
}

// Empty where no call lies inside one of its type.
Result<std::string> nested_types_note(Session& session) {
    OPSIGHT_ASSIGN(const std::vector<NestedType> types, nested_types(session));
    if (types.empty()) return std::string();
    const size_t others = types.size() - 1;
    return fmt::format(
        "totals hold calls inside calls of the same type twice (of {} {} call{}{}); self times hold each "
        "moment once",
        types[0].type, types[0].calls, types[0].calls == 1 ? "" : "s",
        others == 0 ? "" : fmt::format(", and {} other type{}", others, others == 1 ? "" : "s"));
}

}  // namespace

Status make_outside_work(Session& session) {
    return make_outside_work(session, {});
}
Status make_op_sums(Session& session) {
    return make_op_sums(session, {}, false);
}

Result<Report> detailed_report(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(make_op_sums(session, shape, false));
    OPSIGHT_TRY(make_work_rows(session, shape, "op"));
    Question q = op_question(session, shape, "detailed", "Ops (Detailed)",
                             detailed_columns(session.contents().device_work));
    q.rows = shaped(sql::detailed, shape);
    add_path_column(q.columns, shape);
    OPSIGHT_ASSIGN(const std::vector<std::string> notes, make_path_of_work(session, shape));
    q.order.insert(q.order.end(), {{"op_name", false}, {"op_id", false}});
    order_by_groups(q, shape);
    duck::Cell ops;
    if (shape.limit > 0 && !sorts_by_distribution(shape)) {
        OPSIGHT_TRY(look_at_instances(session, shape, "[]"));
        OPSIGHT_ASSIGN(const ResultTable first, ask(session, q, shape));
        ops = shown_in(first);
    }
    OPSIGHT_TRY(look_at_instances(session, shape, std::move(ops)));
    OPSIGHT_ASSIGN(ResultTable table, ask_with_work(session, q, shape));
    table.notes.insert(table.notes.end(), notes.begin(), notes.end());
    return single("detailed", std::move(table), &session);
}

Result<Report> op_type_report(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(make_op_sums(session, shape, true));
    OPSIGHT_TRY(make_work_rows(session, shape, "type"));
    Question q = op_question(session, shape, "op_type", "Op Type Summary",
                             type_columns(session.contents().device_work));
    q.rows = shaped(sql::op_types, shape);
    q.order.emplace_back("op_type", false);
    order_by_groups(q, shape);
    OPSIGHT_ASSIGN(std::string nested, nested_types_note(session));
    OPSIGHT_ASSIGN(ResultTable table, ask_with_work(session, q, shape));
    if (!nested.empty()) table.notes.push_back(std::move(nested));
    return single("op_type", std::move(table), &session);
}

Result<Report> group_op_report(Session& session, const TableShape& shape) {
    Question q = op_question(session, shape, "group_op", "Group Ops (Layers)",
                             layer_columns(session.contents().device_work));
    OPSIGHT_ASSIGN(ResultTable table, layer_sums(session, shape, std::move(q), false));
    return single("group_op", std::move(table), &session, true);
}

// Not by device: what a layer launches on several is not told apart.
Result<ResultTable> layer_list(Session& session, const TableShape& wanted) {
    TableShape shape = wanted;
    shape.by_device = false;
    Question q =
        op_question(session, shape, "layers", "Layers", layer_columns(session.contents().device_work));
    append(q.columns, {of_device({"own_gpu_time_ns", "Own GPU Time (ns)", Unit::kNs}),
                       of_host({"own_cpu_time_ns", "Own CPU Time (ns)", Unit::kNs}),
                       of_device({"kernels", "Kernels", Unit::kCount}),
                       of_device({"forward_kernels", "Forward Kernels", Unit::kCount}),
                       of_device({"backward_kernels", "Backward Kernels", Unit::kCount})});
    return layer_sums(session, shape, std::move(q), true);
}

}  // namespace opsight::query
