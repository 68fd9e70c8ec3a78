// Renders a ResultTable for people (terminal), spreadsheets (CSV) and scripts (JSON).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "query/result_table.h"

namespace opsight {

enum class Format { kTable, kCsv, kJson };

Result<Format> parse_format(std::string_view name);

// The width of standard output where it is a terminal, else 0 (no limit); $COLUMNS goes first.
int terminal_width();

// Aligned columns under their heads. Times and sizes of a column share the unit that suits its largest value.
// With a width > 0, columns are left out by priority and long names shortened in the middle until a line
// fits; what was left out is said below the table.
std::string render_table(const ResultTable& table, int width);

// RFC 4180 with a header line; exact values in the unit of the head.
std::string render_csv(const ResultTable& table);
// Its parts, for rows that come bit by bit.
std::string csv_heads(const ResultTable& table);
std::string csv_rows(const std::vector<std::vector<Cell>>& rows);

// An array of objects, a key per column; invalid UTF-8 is replaced.
std::string render_json_rows(const ResultTable& table);
// The objects of it, with commas between; `first`: none came before.
std::string json_row_list(const std::vector<Column>& columns, const std::vector<std::vector<Cell>>& rows,
                          bool first);

}  // namespace opsight
