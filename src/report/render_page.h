// ResultTable as the viewer's server sends it: heads and units once, then rows of bare values.
#pragma once

#include <string>

#include "base/json_writer.h"

#include "query/ask/result_table.h"
#include "query/session/session.h"

namespace opsight::report {

// {"name", "title", "columns", "rows", "rows_in_all", "rows_matching", "notes", "range"}. Whole numbers that
// a script of a page would round (above 2^53) are texts.
void put_page(JsonWriter& json, const query::ResultTable& table, const query::Range& range);
std::string render_page_json(const query::ResultTable& table, const query::Range& range);

}  // namespace opsight::report
