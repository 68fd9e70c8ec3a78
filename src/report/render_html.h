// Reports as one HTML file that needs nothing else: for sending around. Its tables sort and filter by a small
// script of their own.
#pragma once

#include <string>
#include <vector>

#include "query/info.h"
#include "query/reports.h"

namespace opsight {

std::string render_html(const std::string& title, const Info& info, const std::vector<Report>& reports);

}  // namespace opsight
