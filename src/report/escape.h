// Text inside HTML. Names come from traces, so none goes out as it is.
#pragma once

#include <string>
#include <string_view>

namespace opsight::report {

std::string html_escaped(std::string_view text);

}  // namespace opsight::report
