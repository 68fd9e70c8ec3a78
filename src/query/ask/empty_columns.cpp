#include "query/ask/empty_columns.h"

#include <algorithm>

namespace opsight::query {

void leave_out_empty(ResultTable& table) {
    for (size_t i = table.columns.size(); i-- > 0;) {
        const bool told = std::any_of(table.rows.begin(), table.rows.end(), [i](const auto& row) {
            return !std::holds_alternative<std::monostate>(row[i]);
        });
        if (told) continue;
        table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(i));
        for (auto& row : table.rows)
            row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

}  // namespace opsight::query
