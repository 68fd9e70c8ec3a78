// Renders a ResultTable for people, at a terminal. For CSV and JSON see write_rows.h.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "query/ask/result_table.h"

namespace opsight::report {

enum class Format { kTable, kCsv, kJson };

Result<Format> parse_format(std::string_view name);

// What people read where there is no terminal to ask: in a pipe, a file, a log.
inline constexpr int kWidthWhenPiped = 100;

// The width of standard output where it is a terminal, else `otherwise` (0: no limit); $COLUMNS goes first.
int terminal_width(int otherwise = 0);

// Aligned columns under their heads. Each time and size has the unit that suits it. With a width > 0, columns
// are left out by priority and long texts shortened until a line fits, such that those that differ look
// different; what was left out is said below the table.
std::string render_table(const query::ResultTable& table, int width);

// A text in so many columns (3 at least): the begin tells the family of a name, the end tells instances
// apart.
std::string shorten(const std::string& text, size_t width);

// A text with its line end, broken at blanks where it is wider; what follows is indented.
std::string wrapped(const std::string& text, int width);

}  // namespace opsight::report
