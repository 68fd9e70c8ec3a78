// Renders a whole Report: its tables one below the other.
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
}  // namespace opsight::report
