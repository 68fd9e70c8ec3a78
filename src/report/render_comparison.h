// Renders a comparison: for a terminal, for a pull request, as a page. Its notes are the answer, and come
// first.
#pragma once

#include <string>

#include "query/reports/reports.h"

namespace opsight::report {

std::string render_comparison(const query::Report& report, int width);
std::string render_comparison_markdown(const query::Report& report);

}  // namespace opsight::report
