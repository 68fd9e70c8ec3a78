// Renders a whole Report: its tables one below the other, or one JSON value.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "query/reports/reports.h"
#include "report/render.h"

namespace opsight::report {

// Of diagnostic_list: severity, count, kind and meaning of each.
std::string render_diagnostics(const query::ResultTable& table, int width);

std::string render_report_table(const query::Report& report, int width);
// An array of rows, or an object with a key for each part; of a report without streamed rows.
std::string render_report_json(const query::Report& report);

}  // namespace opsight::report
