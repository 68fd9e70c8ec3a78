// Names as people give them: * stands for any characters, ? for one.
#pragma once

#include <string_view>

namespace opsight {

// Whether all of `text` is as the pattern.
bool matches_wildcards(std::string_view pattern, std::string_view text);

}  // namespace opsight
