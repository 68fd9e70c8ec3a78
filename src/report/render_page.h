// ResultTable as the viewer's server sends it: heads and units once, then rows of bare values.
#pragma once

#include <string>

#include "query/ask/result_table.h"
#include "query/session/session.h"

namespace opsight::report {

// {"name", "title", "columns", "rows", "rows_in_all", "rows_matching", "notes", "range"}. Whole numbers that
// a script of a page would round (above 2^53) are texts.
std::string render_page_json(const query::ResultTable& table, const query::Range& range);

// For downloads: rows as objects by key with commas between; `first`: none came before.
std::string json_objects(const query::ResultTable& table, const std::vector<std::vector<query::Cell>>& rows,
                         bool first);

}  // namespace opsight::report
