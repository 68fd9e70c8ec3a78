// Labels of runs: "model=gpt", "team=vision".
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace opsight::fleet {

using Labels = std::vector<std::pair<std::string, std::string>>;  // by their names, each once

// "k=v" each: a name of 1 to 64 letters, digits, '_', '-', '.' or '/', and 1 to 256 bytes of text. Of two of
// one name with different values neither is guessed: an error.
Result<Labels> parse_labels(const std::vector<std::string>& texts);

}  // namespace opsight::fleet
