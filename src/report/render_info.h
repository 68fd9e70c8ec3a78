// Renders what is in a profile.
#pragma once

#include <string>

#include "query/info.h"

namespace opsight {

std::string render_info(const Info& info, int width);
std::string render_info_json(const Info& info);  // one object, see docs/CLI.md

// Iterations as info and report give them to scripts.
std::string range_json(const Range& range);

}  // namespace opsight
