// "Did you mean": the known word that is closest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opsight::cli {

// The closest of `words` by edit distance, or empty where none is near.
std::string closest_word(std::string_view typed, const std::vector<std::string>& words);

}  // namespace opsight::cli
