// A text as a gzip member.
#pragma once

#include <string>
#include <string_view>

namespace opsight {

std::string gzipped(std::string_view text);

}  // namespace opsight
