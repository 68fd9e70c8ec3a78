// ResultTable as the viewer's server sends it: heads and units once, then rows of bare values.
#pragma once

#include <string>

#include "query/result_table.h"
#include "query/session.h"

namespace opsight {

// {"name", "title", "columns", "rows", "rows_in_all", "rows_matching", "notes", "range"}. Whole numbers that
// a script of a page would round (above 2^53) are texts.
std::string render_page_json(const ResultTable& table, const Range& range);

// For downloads: rows as objects by key with commas between; `first`: none came before.
std::string json_objects(const ResultTable& table, const std::vector<std::vector<Cell>>& rows, bool first);

}  // namespace opsight
