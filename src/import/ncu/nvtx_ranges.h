// What the columns of NVTX ranges hold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opsight::importer::ncu {

// The names of the ranges, the outermost first. Each stands in quotes, a color and the like behind it and, of
// a launch, its domain before it: `1 "<default domain>:step:none:none:none:none:none:none"`.
std::vector<std::string> range_names(std::string_view text, bool with_domain);

}  // namespace opsight::importer::ncu
