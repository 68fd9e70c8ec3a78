// Reports with a row per kernel, kernel instance and iteration.
#include <fmt/format.h>

#include "query/reports/device_use.h"
#include "query/reports/kernel_choice.h"
#include "query/reports/op_groups.h"
#include "query/reports/path_columns.h"
#include "query/reports/sql.h"
#include "query/reports/work.h"
#include "query/session/track_id.h"

namespace opsight::query {
namespace {

namespace sql = reports::sql;

std::vector<Column> kernel_columns() {
    return {
        of_device({"kernel_name", "Kernel Name"}),
        {"op_id", "Op ID", Unit::kCount, 4, Role::kId},
        {"op_name", "Op Name"},
        {"direction", "Direction", Unit::kNone, 3, Role::kDirection},
        of_device({"uses_tc", "Uses TC", Unit::kNone, 1, Role::kAnswer}),
        of_device({"total_gpu_time_ns", "Total GPU Time (ns)", Unit::kNs}),
        of_device({"avg_gpu_time_ns", "Avg GPU Time (ns)", Unit::kNs, 2}),
        of_device({"min_gpu_time_ns", "Min GPU Time (ns)", Unit::kNs, 6}),
        of_device({"max_gpu_time_ns", "Max GPU Time (ns)", Unit::kNs, 6}),
        of_host({"total_api_time_ns", "Total API Time (ns)", Unit::kNs, 5}),
        of_host({"avg_api_time_ns", "Avg API Time (ns)", Unit::kNs, 7}),
        of_host({"min_api_time_ns", "Min API Time (ns)", Unit::kNs, 8}),
        of_host({"max_api_time_ns", "Max API Time (ns)", Unit::kNs, 8}),
        {"calls", "No. Calls", Unit::kCount, 1},
        of_device({"median_gpu_time_ns", "Median GPU Time (ns)", Unit::kNs, 5}),
        of_device({"p95_gpu_time_ns", "P95 GPU Time (ns)", Unit::kNs, 6}),
        of_device({"kernel_share_pct", "Kernel Time (%)", Unit::kPercent, 2}),
        of_device({"occupancy_pct", "Occupancy (%)", Unit::kPercent, 6}),
        of_device({"waves", "Waves", Unit::kNone, 7, Role::kNumber}),
        of_device({"tail_pct", "Tail (%)", Unit::kPercent, 7}),
        {"class", "Class", Unit::kNone, 9, Role::kWorkClass},
        of_device({"tc_evidence", "TC Evidence", Unit::kNone, 9, Role::kEvidence}),
        of_device({"tc_pattern", "TC Pattern", Unit::kNone, 9}),
        {"layer", "Layer", Unit::kNone, 7},
        {"shapes", "Input Shapes", Unit::kNone, 2, Role::kShapes},
        of_device({"long_kernel_name", "Long Kernel Name", Unit::kNone, 10}),
    };
}

std::vector<Column> instance_columns() {
    return {
        {"iteration", "Iteration", Unit::kCount, 0, Role::kId},
        {"op_id", "Op ID", Unit::kCount, 5, Role::kId},
        {"op_name", "Op Name"},
        {"direction", "Direction", Unit::kNone, 4, Role::kDirection},
        {"op_type", "Op Type", Unit::kNone, 8},
        of_device({"kernel_name", "Kernel Name"}),
        {"device", "Device ID", Unit::kCount, 2, Role::kId},
        of_device({"gpu_start_ns", "GPU Start Time (ns)", Unit::kNs, 1, Role::kMoment}),
        of_device({"gpu_duration_ns", "GPU Duration (ns)", Unit::kNs}),
        {"api_start_ns", "API Call Start (ns)", Unit::kNs, 6, Role::kMoment},
        {"api_duration_ns", "API Call Time (ns)", Unit::kNs, 6},
        of_device({"uses_tc", "Uses TC", Unit::kNone, 3, Role::kAnswer}),
        {"grid_x", "Grid X", Unit::kCount, 9},
        {"grid_y", "Grid Y", Unit::kCount, 9},
        {"grid_z", "Grid Z", Unit::kCount, 9},
        {"block_x", "Block X", Unit::kCount, 9},
        {"block_y", "Block Y", Unit::kCount, 9},
        {"block_z", "Block Z", Unit::kCount, 9},
        {"dtypes", "Data Types", Unit::kNone, 10, Role::kTypes},
        {"shapes", "Input Shapes", Unit::kNone, 10, Role::kShapes},
        {"parameters", "Parameters", Unit::kNone, 11},
        of_device({"long_kernel_name", "Long Kernel Name", Unit::kNone, 12}),
        {"rank", "Rank", Unit::kCount, 5, Role::kId},
        {"stream", "Stream", Unit::kCount, 7, Role::kId},
        {"correlation", "Correlation", Unit::kCount, 11, Role::kId},
        {"launch_delay_ns", "Launch Delay (ns)", Unit::kNs, 9},
        {"registers_per_thread", "Registers", Unit::kCount, 11},
        {"shared_bytes", "Shared Memory (bytes)", Unit::kBytes, 11},
        of_device({"occupancy_pct", "Occupancy (%)", Unit::kPercent, 9}),
        of_device({"waves", "Waves", Unit::kNone, 10, Role::kNumber}),
        of_device({"tail_pct", "Tail (%)", Unit::kPercent, 10}),
        {"layer", "Layer", Unit::kNone, 9},
    };
}

// Of an instance for a page: its evidence of Tensor Core use, and where it is on the timeline.
std::vector<Column> place_columns() {
    return {{"class", "Class", Unit::kNone, 0, Role::kWorkClass},
            of_device({"tc_evidence", "TC Evidence", Unit::kNone, 0, Role::kEvidence}),
            of_device({"tc_pattern", "TC Pattern"}),
            {"track", "Track", Unit::kCount, 0, Role::kId},
            {"span", "Span", Unit::kCount, 0, Role::kId}};
}

// How many rows from the top a table needs whose rows nothing leaves out; 0: all.
int64_t rows_from_top(const TableShape& shape) {
    if (!shape.page) return shape.limit;
    const Page& page = *shape.page;
    const bool all = !page.search.empty() || !page.filters.empty() || !page.place_of.empty();
    return !all && page.size > 0 ? page.first + page.size : 0;
}

Status list_kernels(Session& session, const TableShape& shape) {
    const bool by_duration = shape.sort == "gpu_duration_ns" || shape.sort == "gpu_duration_ns:desc";
    const int64_t rows = rows_from_top(shape);
    if (rows == 0 || (!shape.sort.empty() && !by_duration)) return session.execute(sql::listed_kernels);
    OPSIGHT_TRY(
        session.execute(duck::Statement(sql::top_kernels).set("rows", rows).set("by_duration", by_duration)));
    return {};
}

Result<ResultTable> ask_for_kernels(Session& session, Question q, const TableShape& shape) {
    q.order = {{"total_gpu_time_ns", true},
               {"kernel_name", false},
               {"long_kernel_name", false},
               {"op_name", false},
               {"op_id", false}};
    order_by_groups(q, shape);
    add_path_column(q.columns, shape);
    OPSIGHT_ASSIGN(const std::vector<std::string> notes, make_path_of_work(session, shape));
    OPSIGHT_TRY(session.execute(shaped(sql::kernel_rows, shape)));
    OPSIGHT_ASSIGN(ResultTable table, ask_with_work(session, q, shape));
    table.notes.insert(table.notes.end(), notes.begin(), notes.end());
    return table;
}

Question kernel_question(const TableShape& shape) {
    Question q{"kernel", "Kernels"};
    q.columns = group_columns(shape);
    append(q.columns, kernel_columns());
    return q;
}

Result<ResultTable> kernels_and_work(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(choose_all_kernels(session));
    OPSIGHT_TRY(make_work_rows(session, shape, "op and kernel"));
    Question q = kernel_question(shape);
    append(q.columns, work_columns(false));
    q.rows = sql::kernels_and_work;
    return ask_for_kernels(session, std::move(q), shape);
}

}  // namespace

Result<ResultTable> kernel_instances(Session& session, const TableShape& shape, bool places) {
    OPSIGHT_TRY(list_kernels(session, shape));
    Question q{"kernels", "Kernels by Iteration"};
    q.columns = instance_columns();
    if (places) append(q.columns, place_columns());
    q.rows = duck::Statement(sql::kernel_instances)
                 .set("track_parts", static_cast<int64_t>(TrackPart::kCount))
                 .set("stream_part", static_cast<int64_t>(TrackPart::kStream));
    q.order = {{"iteration", false}, {"rank", false},        {"gpu_start_ns", false}, {"device", false},
               {"stream", false},    {"correlation", false}, {"kernel_name", false}};
    q.counted = sql::count_kernels;
    OPSIGHT_ASSIGN(ResultTable table, ask(session, q, shape));
    if (shape.page) return table;
    OPSIGHT_ASSIGN(const duck::Rows all, session.query(q.counted));
    table.rows_in_all = std::get<int64_t>(all.rows.at(0)[0]);
    return table;
}

Result<ResultTable> kernel_sums(Session& session, const TableShape& shape) {
    Question q = kernel_question(shape);
    q.rows = sql::kernels;
    return ask_for_kernels(session, std::move(q), shape);
}

Result<ResultTable> iteration_list(Session& session, const TableShape& shape) {
    Question q{"iterations", "Iterations"};
    q.columns = {
        {"rank", "Rank", Unit::kCount, 1, Role::kId},
        {"iteration", "Iteration", Unit::kCount, 0, Role::kId},
        {"name", "Name", Unit::kNone, 3},
        {"begin_ns", "Begin (ns)", Unit::kNs, 2, Role::kMoment},
        {"duration_ns", "Duration (ns)", Unit::kNs},
        {"own_duration_ns", "Own Duration (ns)", Unit::kNs, 3},
        {"op_calls", "Op Calls", Unit::kCount, 2},
        of_host({"cpu_time_ns", "CPU Time of Ops (ns)", Unit::kNs, 1}),
        of_device({"kernels", "Kernels", Unit::kCount, 1}),
        of_device({"kernel_time_ns", "Kernel GPU Time (ns)", Unit::kNs}),
        of_device({"kernel_share_pct", "Kernel Time (%)", Unit::kPercent, 2}),
        of_device({"tc_kernels", "TC Kernels", Unit::kCount, 2}),
        of_device({"unknown_tc_kernels", "Unknown TC Kernels", Unit::kCount, 3}),
        of_device({"tc_kernel_time_ns", "TC GPU Time (ns)", Unit::kNs, 2}),
        of_device({"memory_time_ns", "Memory GPU Time (ns)", Unit::kNs, 2}),
        {"warmup", "Warm-up", Unit::kNone, 3, Role::kYesNo},
        {"warmup_reason", "Reason", Unit::kNone, 4},
    };
    q.rows = sql::iterations;
    q.order = {{"rank", false}, {"iteration", false}};
    return ask(session, q, shape);
}

Result<Report> kernel_report(Session& session, const TableShape& shape) {
    OPSIGHT_ASSIGN(ResultTable table, kernels_and_work(session, shape));
    Report report{"kernel", table.title, {}, {}};
    if (!session.contents().device_work)
        report.notes.push_back(fmt::format("the profile has no kernels: {}", without_device_work(session)));
    report.sections.push_back({std::move(table)});
    return report;
}

Result<Report> iteration_report(Session& session, const TableShape& shape) {
    Report report{"iteration", "Iterations", {}, {}};
    TableShape in_order;  // a table in the order of time, whatever the kernels below are sorted by
    in_order.for_people = shape.for_people;
    in_order.limit = shape.limit;
    OPSIGHT_ASSIGN(ResultTable list, iteration_list(session, in_order));
    if (session.range().total == 0) list.notes.push_back("no iterations were found");
    report.sections.push_back({std::move(list)});
    TableShape of_kernels = shape;
    if (shape.stream_last) {
        of_kernels.page.emplace().streamed = true;
        of_kernels.page->size = shape.limit;
    }
    OPSIGHT_TRY(choose_all_kernels(session));
    OPSIGHT_ASSIGN(ResultTable kernels, kernel_instances(session, of_kernels));
    if (session.contents().device_work || !shape.for_people) report.sections.push_back({std::move(kernels)});
    return report;
}

}  // namespace opsight::query
