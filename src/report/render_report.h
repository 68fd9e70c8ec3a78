// Renders a whole Report: its tables one below the other, one JSON value, or a CSV text for each table.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "query/reports.h"
#include "report/render.h"

namespace opsight {

std::string render_report_table(const Report& report, int width);
// An array of rows, or an object with a key for each part.
std::string render_report_json(const Report& report);
// File name without its ending, and text.
std::vector<std::pair<std::string, std::string>> render_report_csv(const Report& report);

}  // namespace opsight
