#include "fleet/facts/fact_rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace opsight::fleet {
namespace {

std::string_view sql_type(Type type) {
    switch (type) {
        case Type::kInteger:
            return "BIGINT";
        case Type::kReal:
            return "DOUBLE";
        case Type::kText:
            break;
    }
    return "VARCHAR";
}

std::string values_of(const std::vector<query::Cell>& row) {
    std::string values = "(";
    for (const query::Cell& cell : row)
        values += (values.size() > 1 ? ", " : "") + duck::literal(cell);
    return values + ")";
}

}  // namespace

Status keep_rows(query::Session& session, const Table& table,
                 const std::vector<std::vector<query::Cell>>& rows) {
    std::string columns;
    for (const Column& column : table.columns)
        columns += fmt::format("{}{} {}{}", columns.empty() ? "" : ", ", duck::quote_name(column.name),
                               sql_type(column.type), column.may_be_null ? "" : " NOT NULL");
    const std::string name = fmt::format("temp.fact_{}", table.name);
    OPSIGHT_TRY(
        session.execute(fmt::format("CREATE OR REPLACE TEMP TABLE fact_{} ({})", table.name, columns)));
    constexpr size_t kRowsOfStatement = 500;
    for (size_t first = 0; first < rows.size(); first += kRowsOfStatement) {
        std::string values;
        for (size_t i = first; i < std::min(rows.size(), first + kRowsOfStatement); ++i)
            values += (values.empty() ? "" : ", ") + values_of(rows[i]);
        OPSIGHT_TRY(session.execute(fmt::format("INSERT INTO {} VALUES {}", name, values)));
    }
    return {};
}

query::Cell cell_of(const query::ResultTable& table, const std::vector<query::Cell>& row,
                    std::string_view key) {
    const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                                     [key](const query::Column& each) { return each.key == key; });
    if (column == table.columns.end()) return {};
    return row.at(static_cast<size_t>(column - table.columns.begin()));
}

}  // namespace opsight::fleet
