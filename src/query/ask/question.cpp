#include "query/ask/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "query/ask/page.h"

namespace opsight::query {
namespace {

std::string folded(std::string_view text) {
    std::string out;
    for (const char c : text)
        out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

// "total_gpu_time_ns", "Total GPU Time (ns)" and "total gpu time" all name one column.
const Field* find_field(const Question& question, const std::string& name) {
    const std::string wanted = folded(name);
    for (const Field& field : question.fields) {
        const std::string head = folded(field.column.head);
        if (folded(field.column.key) == wanted || head == wanted ||
            head.substr(0, head.rfind(" (")) == wanted)
            return &field;
    }
    return nullptr;
}

bool is_text(const Field& field) {
    return field.column.unit == Unit::kNone;
}

Result<RowOrder> order_of(const Question& question, const TableShape& shape) {
    RowOrder order;
    if (!shape.sort.empty()) {
        std::string name = shape.sort;
        std::string direction;
        if (const size_t colon = name.rfind(':'); colon != std::string::npos) {
            direction = name.substr(colon + 1);
            name.resize(colon);
        }
        const Field* field = find_field(question, name);
        if (!field || (!direction.empty() && direction != "asc" && direction != "desc")) {
            std::string keys;
            for (const Field& each : question.fields)
                keys += (keys.empty() ? "" : ", ") + each.column.key;
            return fail(Error{fmt::format("report {} cannot be sorted by '{}'", question.name, shape.sort),
                              {},
                              {},
                              "its columns are " + keys + "; ':asc' or ':desc' may follow",
                              2});
        }
        order.emplace_back(field->column.key, direction.empty() ? !is_text(*field) : direction == "desc");
    }
    order.insert(order.end(), question.order.begin(), question.order.end());
    return order;
}

}  // namespace

std::string shapes_sql(const std::string& shapes, const TableShape& shape) {
    if (!shape.for_people) return fmt::format("nullif({}, '')", shapes);
    return fmt::format(
        "nullif(trim(regexp_replace(regexp_replace(replace(replace({}, '], [', ';'), ', ', 'x'), '[\\[\\]]', "
        "'', "
        "'g'), ';+', ', ', 'g'), ', '), '')",
        shapes);
}

Result<ResultTable> ask(Session& session, const Question& question, const TableShape& shape) {
    OPSIGHT_ASSIGN(const RowOrder order, order_of(question, shape));
    ResultTable table;
    table.name = question.name;
    table.title = question.title;
    const std::string by = !shape.sort.empty()      ? shape.sort.substr(0, shape.sort.rfind(':'))
                           : question.order.empty() ? std::string()
                                                    : question.order[0].first;
    const Field* sorted = find_field(question, by);
    std::string shown;
    for (const Field& field : question.fields) {
        if (shape.for_people && field.device_only && !session.contents().device_work) continue;
        shown += (shown.empty() ? "" : ", ") + duck::quote_name(field.column.key);
        table.columns.push_back(field.column);
        table.columns.back().device_only = field.device_only;
        // What the rows are sorted by stays in sight, however narrow the terminal.
        if (sorted && field.column.key == sorted->column.key) table.columns.back().priority = 0;
    }
    if (shape.page) {
        OPSIGHT_TRY(take_page(session, question, order, *shape.page, table));
        return table;
    }
    // Not count(*) OVER (): DuckDB up to 1.5.5 fails now and then over windows without PARTITION BY that
    // several threads compute, and is of no use afterwards (duckdb/duckdb#22352, #25713).
    std::string sql = shape.limit > 0
                          ? fmt::format(
                                "WITH answered AS MATERIALIZED ({}) SELECT {}, (SELECT count(*) FROM "
                                "answered) AS \"rows in all\" FROM answered{} LIMIT {}",
                                all_rows(question), shown, order_sql(order), shape.limit)
                          : fmt::format("SELECT {} FROM ({}){}", shown, all_rows(question), order_sql(order));
    OPSIGHT_ASSIGN(duck::Rows rows, session.query(sql));
    table.rows = std::move(rows.rows);
    if (shape.limit > 0)
        for (auto& row : table.rows) {
            table.rows_in_all = std::get<int64_t>(row.back());
            row.pop_back();
        }
    return table;
}

}  // namespace opsight::query
