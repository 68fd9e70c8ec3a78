// The rows of a table wherever they are, for whoever writes them on without holding all.
#pragma once

#include <vector>

#include "base/duckdb.h"
#include "query/ask/result_table.h"

namespace opsight::query {

using TableRows = std::vector<std::vector<Cell>>;

// Calls `take(rows)`, which gives a Status, for the rows that the table has, then for those of its stream.
template <class Take>
Status each_part(const ResultTable& table, Take take) {
    OPSIGHT_TRY(take(table.rows));
    if (!table.stream) return {};
    TableRows rows;
    for (bool more = true; more;) {
        rows.clear();
        OPSIGHT_ASSIGN(more, table.stream->read(rows));
        OPSIGHT_TRY(take(rows));
    }
    return {};
}

}  // namespace opsight::query
