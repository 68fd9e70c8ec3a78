// A profile file may come from anybody: what it holds is looked at before it is used. Data alone may be in
// it: the tables and views of the schema, and values that belong together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/duckdb.h"

namespace opsight::db {

struct StoredTable {
    std::string schema, name;
    bool computes = false;  // one of its columns
};
// The tables of the attached file, of whatever schema.
Result<std::vector<StoredTable>> stored_tables(duck::Connection& connection);

// That the file brings nothing that could run, or stand in for something of DuckDB's: no functions, types,
// indexes, other schemas.
Status check_objects(duck::Connection& connection, const std::vector<StoredTable>& tables);

// That its views lie where ours do and, in a file of the `current` schema version, are ours, text for text.
Status check_views(duck::Connection& connection, bool current);

// SHA-256 of the views of a file, as text.
Result<std::string> digest_of_views(duck::Connection& connection);
// That of the views of this schema version, as DuckDB words them. A file that has it needs no look at each of
// them, which takes a sixth of the time that opening takes; any other is compared view by view.
inline constexpr std::string_view kDigestOfViews =
    "48ae7712cde149106e099fb58249c5283896c492621b081cbbb14b55083848a1";

// That its tables have the columns of the schema. `whole`: all of them; else some at the end may be missing,
// as in a file of an older version.
Status check_tables(duck::Connection& connection, bool whole);

// That no value is missing, and that numbers, times and what refers to other tables lie within what there is.
// Takes one pass over most columns, on at most `threads` threads (0: as many as the machine has cores).
Status check_values(const duck::Database& database, duck::Connection& connection, int threads);

}  // namespace opsight::db
