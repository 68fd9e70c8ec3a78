// Text inside CSV and HTML. Names come from traces, so none goes out as it is.
#pragma once

#include <string>
#include <string_view>

namespace opsight::report {

// RFC 4180: in quotation marks where it needs them.
std::string csv_field(std::string_view text);
std::string csv_quoted(std::string_view text);
std::string html_escaped(std::string_view text);

}  // namespace opsight::report
