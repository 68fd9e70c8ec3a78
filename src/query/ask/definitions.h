// What columns mean, in the words of docs/metrics.md, the one place that defines them.
#pragma once

#include <string_view>

#include "query/ask/result_table.h"

namespace opsight::query {

// Of a table of `name` (a report's or the page's), the column with this header; empty where nothing that is
// defined is about it. One word has another meaning in another table, so it is looked up in the sections
// that are about the table, and the first that has it counts.
std::string_view definition_of(std::string_view name, std::string_view header);

// Fills the descriptions of a table's columns.
void describe(ResultTable& table);

}  // namespace opsight::query
