// Renders what is in a profile.
#pragma once

#include <string>

#include "query/reports/info.h"

namespace opsight::report {

std::string render_info(const query::Info& info, int width);
std::string render_info_json(const query::Info& info);  // one object, see docs/CLI.md

}  // namespace opsight::report
