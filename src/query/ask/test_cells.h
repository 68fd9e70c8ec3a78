// Cells of tables, for tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "query/ask/result_table.h"

namespace opsight::query {

// The cell of a table in a row whose cell `by` is `wanted` (by empty: of the first row).
inline Cell cell(const ResultTable& table, std::string_view column, std::string_view by = {},
                 const std::string& wanted = {}) {
    const auto index = [&](std::string_view key) {
        const auto at = std::find_if(table.columns.begin(), table.columns.end(),
                                     [&](const Column& c) { return c.key == key; });
        EXPECT_NE(at, table.columns.end()) << "no column " << key << " in " << table.name;
        return static_cast<size_t>(at - table.columns.begin());
    };
    if (index(column) == table.columns.size() || (!by.empty() && index(by) == table.columns.size()))
        return {};
    for (const auto& row : table.rows) {
        if (!by.empty()) {
            const auto* text = std::get_if<std::string>(&row[index(by)]);
            const auto* number = std::get_if<int64_t>(&row[index(by)]);
            if (!(text && *text == wanted) && !(number && std::to_string(*number) == wanted)) continue;
        }
        return row[index(column)];
    }
    ADD_FAILURE() << "no row with " << by << " = " << wanted << " in " << table.name;
    return {};
}

// Number in a cell; -1e300 where the field is empty.
inline double number(const Cell& value) {
    if (const auto* integer = std::get_if<int64_t>(&value)) return static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return -1e300;
}
inline bool is_empty(const Cell& value) {
    return std::holds_alternative<std::monostate>(value);
}

}  // namespace opsight::query
