#include "query/reports/work.h"

#include <algorithm>

#include "query/reports/op_groups.h"
#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {
namespace {

namespace sql = reports::sql;

constexpr const char* kOldFile =
    "the file was written before work was counted; import the trace again to see it";

// A table of the roofline report: columns of its own, then those of the work.
Question roofline_question(const TableShape& shape, std::string name, std::string title,
                           std::vector<Column> columns, const duck::Sql& file) {
    Question q{std::move(name), std::move(title)};
    q.columns = group_columns(shape);
    append(q.columns, std::move(columns));
    append(q.columns, {{"time_ns", "Time (ns)", Unit::kNs}, {"time_pct", "Time %", Unit::kPercent, 1}});
    append(q.columns, work_columns(true));
    append(q.columns, {{"ridge_side", "Side of Ridge", Unit::kNone, 2},
                       {"attainable_flops_per_s", "Attainable FLOP/s (1)", Unit::kFlops, 4},
                       {"remarks", "Remarks", Unit::kNone, 6}});
    q.rows = shaped(file, shape);
    return q;
}

Result<ResultTable> ask_for_work(Session& session, const Question& q, const TableShape& shape) {
    OPSIGHT_TRY(session.prepare_work());
    // First: rows that are still to be read are lost with the next statement.
    OPSIGHT_ASSIGN(const bool counted, has_work(session));
    OPSIGHT_ASSIGN(ResultTable table, ask_with_work(session, q, shape));
    if (!counted) table.notes.emplace_back(kOldFile);
    return table;
}

// Where a column stands in a table of one row; its end where there is none.
size_t place_of(const ResultTable& table, std::string_view key) {
    const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                                     [key](const Column& c) { return c.key == key; });
    return static_cast<size_t>(column - table.columns.begin());
}

// What such a table says there; empty where it has no row or no such column.
Cell cell_of(const ResultTable& table, std::string_view key) {
    const size_t place = place_of(table, key);
    return table.rows.empty() || place == table.columns.size() ? Cell() : table.rows[0][place];
}
bool tells(const ResultTable& table, std::string_view key) {
    return !std::holds_alternative<std::monostate>(cell_of(table, key));
}

// The least that work needs is no least where kernels take less, and then the peak that stands beside it is
// none.
void note_faster_than_bound(ResultTable& table) {
    constexpr double kWholly = 100.5;  // %: rounded
    if (real(cell_of(table, "efficiency_pct")) <= kWholly) return;
    table.notes.emplace_back(
        "kernels take less time than the least that their work needs by the device's peaks: data come from "
        "its caches, less is computed than shapes tell (masks, sparsity), its clock is higher than the "
        "table's, or it is another device; shares of the peak do not hold then (report roofline: which ops)");
}

// A table of one row without a column that it has.
void leave_out(ResultTable& table, std::string_view key) {
    const auto place = static_cast<std::ptrdiff_t>(place_of(table, key));
    table.columns.erase(table.columns.begin() + place);
    for (auto& row : table.rows)
        row.erase(row.begin() + place);
}

}  // namespace

Status make_work_rows(Session& session, const TableShape& shape, const std::string& by) {
    OPSIGHT_TRY(session.prepare_work());
    OPSIGHT_TRY(session.prepare(sql::layers_above));
    OPSIGHT_TRY(session.execute(shaped(sql::work_sums, shape).set("by", by)));
    return session.prepare(sql::work_rows);
}

std::vector<Column> work_columns(bool first) {
    const int more = first ? 0 : 7;
    return {
        {"flops", "FLOPs (1)", Unit::kFlops, 1 + more},
        {"flops_at_least", "FLOPs Are at Least", Unit::kNone, 1 + more, Role::kWarning},
        {"bytes_min", "Bytes (B)", Unit::kBytes, 2 + more},
        {"work_time_ns", "Time With Counted Work (ns)", Unit::kNs, 5 + more},
        {"flops_per_s", "FLOP/s (1)", Unit::kFlops, 1 + more},
        {"bytes_per_s", "Bytes/s (B)", Unit::kBytes, 2 + more},
        {"intensity", "FLOP/B", Unit::kNone, 2 + more, Role::kNumber},
        {"bound_ns", "Bound (ns)", Unit::kNs, 1 + more},
        {"efficiency_pct", "Efficiency (%)", Unit::kPercent, more},
        {"limiter", "Limiter", Unit::kNone, more},
        {"work_estimate", "Work Is Estimate", Unit::kNone, 8 + more},
    };
}

Result<ResultTable> ask_with_work(Session& session, const Question& q, const TableShape& shape) {
    OPSIGHT_ASSIGN(ResultTable table, ask(session, q, shape));
    const auto flagged = std::find_if(table.columns.begin(), table.columns.end(),
                                      [](const Column& column) { return column.key == "flops_at_least"; });
    if (!shape.for_people || flagged == table.columns.end()) return table;
    const auto place = static_cast<size_t>(flagged - table.columns.begin());
    const auto has_gaps = [place](const auto& row) {
        const bool* yes = std::get_if<bool>(&row[place]);
        return yes && *yes;
    };
    // A terminal has no room for the column of the flag, so the name of the numbers says it.
    if (std::none_of(table.rows.begin(), table.rows.end(), has_gaps)) return table;
    for (Column& column : table.columns)
        if (column.unit == Unit::kFlops && column.header.starts_with("FLOPs"))
            column.header.insert(column.header.rfind(" ("), " at Least");
    return table;
}

Result<bool> has_work(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::has_work));
    return std::get<bool>(rows.rows.at(0)[0]);
}

Result<ResultTable> work_summary(Session& session, bool for_people) {
    OPSIGHT_TRY(session.prepare_work());
    Question q{"work", "Counted Work"};
    q.columns = {
        {"counted_pct", "Time With Counted Work %", Unit::kPercent},
        {"bounded_pct", "Time With a Known Bound %", Unit::kPercent},
        of_device({"kernel_counted_pct", "Kernel Time With Counted Work %", Unit::kPercent}),
        {"flops", "FLOPs (1)", Unit::kFlops},
        {"bytes_min", "Bytes at Least (B)", Unit::kBytes},
        {"efficiency_pct", "Efficiency of Kernels (%)", Unit::kPercent},
        {"product_flops", "FLOPs of Products (1)", Unit::kFlops},
        {"recomputed_flops", "FLOPs Computed Again (1)", Unit::kFlops},
        {"peak_precision", "Peak Taken"},
        {"peak_flops_per_s", "Peak of the Devices Used (1)", Unit::kFlops},
        {"flops_at_least", "FLOPs Are at Least", Unit::kNone, 1, Role::kWarning},
    };
    // Shares of the peak, and whether they are lower bounds: for people in one text.
    if (for_people)
        append(q.columns, {{"mfu_text", "MFU %"}, {"hfu_text", "HFU %"}});
    else
        append(q.columns, {{"mfu_pct", "MFU %", Unit::kPercent},
                           {"hfu_pct", "HFU %", Unit::kPercent},
                           {"mfu_at_least", "MFU Is at Least"}});
    q.rows = duck::Statement(sql::work_summary).set("device_work", session.contents().device_work);
    OPSIGHT_ASSIGN(ResultTable table, ask_with_work(session, q, {.for_people = for_people}));
    if (for_people) leave_out(table, "flops_at_least");  // the names say it
    OPSIGHT_ASSIGN(const bool counted, has_work(session));
    if (!counted) {
        table.notes.emplace_back(kOldFile);
    } else if (tells(table, for_people ? "mfu_text" : "mfu_pct")) {
        table.notes.emplace_back(
            "MFU = (FLOPs of products - those computed again) / (wall clock x peak of the devices used); HFU "
            "takes those computed again in");
    }
    note_faster_than_bound(table);
    return table;
}

Result<ResultTable> roofline_ops(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(make_work_rows(session, shape, "op"));
    Question q = roofline_question(shape, "roofline", "Roofline by Op",
                                   {{"op_id", "Op ID", Unit::kCount, 8, Role::kId},
                                    {"op_name", "Op Name"},
                                    {"direction", "Direction", Unit::kNone, 3, Role::kDirection},
                                    {"layer", "Layer", Unit::kNone, 3},
                                    {"shapes", "Input Shapes", Unit::kNone, 3, Role::kShapes},
                                    {"precision", "Format", Unit::kNone, 5},
                                    {"spans", "Spans", Unit::kCount, 5}},
                                   sql::roofline_ops);
    q.order = {{"time_ns", true}, {"op_name", false}, {"op_id", false}};
    order_by_groups(q, shape);
    return ask_for_work(session, q, shape);
}

Result<ResultTable> roofline_shapes(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(make_work_rows(session, shape, "shapes"));
    Question q = roofline_question(shape, "roofline_shapes", "Roofline by Op and Shapes",
                                   {{"op_name", "Op Name"},
                                    {"direction", "Direction", Unit::kNone, 3, Role::kDirection},
                                    {"shapes", "Input Shapes", Unit::kNone, 0, Role::kShapes},
                                    {"precision", "Format", Unit::kNone, 5},
                                    {"layers", "Layers", Unit::kCount, 5},
                                    {"spans", "Spans", Unit::kCount, 5}},
                                   sql::roofline_shapes);
    q.order = {{"time_ns", true}, {"op_name", false}, {"shapes", false}, {"direction", false}};
    order_by_groups(q, shape);
    return ask_for_work(session, q, shape);
}

Result<ResultTable> roofline_layers(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(make_work_rows(session, shape, "layer"));
    Question q = roofline_question(shape, "roofline_layers", "Roofline by Layer",
                                   {{"layer", "Layer"},
                                    {"direction", "Direction", Unit::kNone, 1, Role::kDirection},
                                    {"spans", "Spans", Unit::kCount, 5}},
                                   sql::roofline_layers);
    q.order = {{"time_ns", true}, {"layer", false}, {"direction", false}};
    order_by_groups(q, shape);
    return ask_for_work(session, q, shape);
}

Result<ResultTable> roofline_kernels(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(make_work_rows(session, shape, "kernel"));
    Question q = roofline_question(shape, "roofline_kernels", "Roofline by Kernel",
                                   {of_device({"kernel_name", "Kernel Name"}),
                                    of_device({"uses_tc", "Uses TC", Unit::kNone, 3, Role::kAnswer}),
                                    {"spans", "Kernels", Unit::kCount, 4}},
                                   sql::roofline_kernels);
    q.columns.push_back(of_device({"long_kernel_name", "Long Kernel Name", Unit::kNone, 10}));
    q.order = {{"time_ns", true}, {"kernel_name", false}, {"long_kernel_name", false}};
    order_by_groups(q, shape);
    return ask_for_work(session, q, shape);
}

Result<ResultTable> roofline_ceilings(Session& session, const TableShape& shape) {
    Question q{"roofline_ceilings", "Ceilings"};
    q.columns = {
        {"rank", "Rank", Unit::kCount, 4, Role::kId},
        {"device", "Device ID", Unit::kCount, 2, Role::kId},
        {"name", "Device"},
        {"source", "Known By", Unit::kNone, 2},
        {"unit", "Unit"},
        {"flops_per_s", "FLOP/s (1)", Unit::kFlops},
        {"bytes_per_s", "Bytes/s (B)", Unit::kBytes},
        {"ridge", "Ridge (FLOP/B)", Unit::kNone, 3, Role::kNumber},
        {"model", "Model", Unit::kNone, 3},
        {"note", "Note", Unit::kNone, 5},
        {"sources", "Source", Unit::kNone, 6},
    };
    q.rows = sql::roofline_ceilings;
    q.order = {{"rank", false}, {"device", false}, {"flops_per_s", true}, {"unit", false}};
    return ask_for_work(session, q, shape);
}

Result<ResultTable> uncounted_work(Session& session, const TableShape& shape) {
    Question q{"uncounted", "Not Counted"};
    q.columns = {{"op_type", "Op Type"},
                 {"time_ns", "Time (ns)", Unit::kNs},
                 {"time_pct", "Time %", Unit::kPercent},
                 {"spans", "Spans", Unit::kCount, 1},
                 {"why", "Why", Unit::kNone, 2}};
    q.rows = sql::uncounted_work;
    q.order = {{"time_ns", true}, {"op_type", false}};
    return ask_for_work(session, q, shape);
}

}  // namespace opsight::query
