// A statement of the user's own over a profile.
#pragma once

#include <vector>

#include "base/duckdb.h"
#include "db/reader.h"
#include "query/ask/result_table.h"

namespace opsight::query {

// The profile is opened for reading only, and the statement reaches no other file. `streamed`: the rows are
// in the answer's `stream`, which keeps the profile open.
Result<ResultTable> run_sql(const std::string& path, const std::string& sql, bool streamed = false);

// The first rows of its answer, on a profile that is open; `path` is for messages.
struct FirstRows {
    ResultTable table;
    bool more = false;
};
Result<FirstRows> first_rows(db::OpenProfile& profile, const std::string& path, const std::string& sql,
                             size_t most);

// Gives the table a column for each of the answer's, with keys of their own where names are alike.
void name_columns(ResultTable& table, const std::vector<duck::ResultColumn>& columns);

}  // namespace opsight::query
