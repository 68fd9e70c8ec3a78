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
const Column* find_column(const std::vector<Column>& columns, const std::string& name) {
    const std::string wanted = folded(name);
    for (const Column& column : columns) {
        const std::string head = folded(column.header);
        if (folded(column.key) == wanted || head == wanted || head.substr(0, head.rfind(" (")) == wanted)
            return &column;
    }
    return nullptr;
}

Result<RowOrder> order_of(const Question& question, const std::vector<Column>& columns,
                          const TableShape& shape) {
    RowOrder order;
    if (!shape.sort.empty()) {
        std::string name = shape.sort;
        std::string direction;
        if (const size_t colon = name.rfind(':'); colon != std::string::npos) {
            direction = name.substr(colon + 1);
            name.resize(colon);
        }
        const Column* column = find_column(columns, name);
        if (!column || (!direction.empty() && direction != "asc" && direction != "desc")) {
            std::string keys;
            for (const Column& each : columns)
                keys += (keys.empty() ? "" : ", ") + each.key;
            return fail(Error{fmt::format("report {} cannot be sorted by '{}'", question.name, shape.sort),
                              {},
                              {},
                              "its columns are " + keys + "; ':asc' or ':desc' may follow",
                              2,
                              ErrorCode::kWrongSort});
        }
        order.emplace_back(column->key, direction.empty() ? !is_text(*column) : direction == "desc");
    }
    order.insert(order.end(), question.order.begin(), question.order.end());
    // Parts of one thing that are alike in all else have an order, too: pages must not overlap.
    for (const char* part : {"rank", "device"})
        if (const Column* column = find_column(columns, part)) order.emplace_back(column->key, false);
    return order;
}

// Where the source tells work of devices alone, the time of the host is not 0, but not known.
Question without_host_times(Question question) {
    std::string untold;
    for (const Column& column : question.columns)
        if (column.host_only)
            untold +=
                fmt::format("{}NULL::BIGINT AS {}", untold.empty() ? "" : ", ", duck::quote_name(column.key));
    if (!untold.empty())
        question.rows.text = fmt::format("SELECT * REPLACE ({}) FROM ({}\n)", untold, question.rows.text);
    return question;
}

}  // namespace

Result<ResultTable> ask(Session& session, const Question& asked, const TableShape& shape) {
    const bool host_times = session.contents().host_told;
    const Question question = host_times ? asked : without_host_times(asked);
    const std::vector<Column>& columns = question.columns;
    OPSIGHT_ASSIGN(const RowOrder order, order_of(question, columns, shape));
    ResultTable table;
    table.name = question.name;
    table.title = question.title;
    const std::string by = !shape.sort.empty()      ? shape.sort.substr(0, shape.sort.rfind(':'))
                           : question.order.empty() ? std::string()
                                                    : question.order[0].first;
    const Column* sorted = find_column(columns, by);
    std::string shown;
    for (const Column& column : columns) {
        if (shape.for_people && column.device_only && !session.contents().device_work) continue;
        if (shape.for_people && !host_times && column.host_only) continue;
        shown += (shown.empty() ? "" : ", ") + duck::quote_name(column.key);
        table.columns.push_back(column);
        // What the rows are sorted by stays in sight, however narrow the terminal.
        if (sorted && column.key == sorted->key) table.columns.back().priority = 0;
    }
    if (shape.page) {
        OPSIGHT_TRY(take_page(session, question, order, *shape.page, table));
        return table;
    }
    // Not count(*) OVER (): DuckDB up to 1.5.5 fails now and then over windows without PARTITION BY that
    // several threads compute, and is of no use afterwards (duckdb/duckdb#22352, #25713).
    duck::Statement all = question.rows;
    all.text = shape.limit > 0
                   ? fmt::format(
                         "WITH answered AS MATERIALIZED ({}\n) SELECT {}, (SELECT count(*) FROM answered) AS "
                         "\"rows in all\" FROM answered{} LIMIT {}",
                         all.text, shown, order_sql(order), shape.limit)
                   : fmt::format("SELECT {} FROM ({}\n){}", shown, all.text, order_sql(order));
    OPSIGHT_ASSIGN(duck::Rows rows, session.query(all));
    table.rows = std::move(rows.rows);
    if (shape.limit > 0)
        for (auto& row : table.rows) {
            table.rows_in_all = std::get<int64_t>(row.back());
            row.pop_back();
        }
    return table;
}

}  // namespace opsight::query
