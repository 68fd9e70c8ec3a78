// Tables and reports as CSV and JSON, piece by piece: rows of a table's `stream` go out as they are read, so
// that millions of them need no memory.
#pragma once

#include <functional>
#include <string_view>

#include "query/reports/reports.h"

namespace opsight::report {

// Takes a piece of text; an error ends the writing.
using Sink = std::function<Status(std::string_view)>;

// RFC 4180 with a header line; exact values in the unit of the head.
Status write_csv(const query::ResultTable& table, const Sink& sink);
// An array of objects, a key per column; invalid UTF-8 is replaced.
Status write_json_rows(const query::ResultTable& table, const Sink& sink);
// An array of rows, or an object with a key for each part.
Status write_report_json(const query::Report& report, const Sink& sink);

}  // namespace opsight::report
