// Renders a whole Report: its tables one below the other, or one JSON value.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "query/reports.h"
#include "report/render.h"

namespace opsight {

std::string render_report_table(const Report& report, int width);
// An array of rows, or an object with a key for each part; of a report without streamed rows.
std::string render_report_json(const Report& report);

}  // namespace opsight
