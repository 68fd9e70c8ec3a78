// The first rows of an answer, and whether there are more.
#pragma once

#include "base/duckdb.h"
#include "query/ask/result_table.h"

namespace opsight::query {

struct FirstRows {
    ResultTable table;
    bool more = false;
};

// At most `most` rows; its columns are named as in name_columns(). The rest of the answer is not read.
Result<FirstRows> first_rows(duck::Cursor& cursor, size_t most);

// Gives the table a column for each of the answer's, with keys of their own where names are alike.
void name_columns(ResultTable& table, const std::vector<duck::ResultColumn>& columns);

}  // namespace opsight::query
