// Reports as one HTML file that needs nothing else: for sending around. Its tables sort and filter by a small
// script of their own.
#pragma once

#include <string>
#include <vector>

#include "query/reports/info.h"
#include "query/reports/reports.h"

namespace opsight::report {

// The same of reports that are of no single profile; `writer`: what made them; `picture`: SVG to stand before
// them.
std::string render_html(const std::string& title, const std::string& writer,
                        const std::vector<query::Report>& reports, const std::string& picture = {});

// `first`: a section to stand before them; its anchor is `#advice`. Empty: none.
std::string render_html(const std::string& title, const query::Info& info,
                        const std::vector<query::Report>& reports, const std::string& first = {});

}  // namespace opsight::report
