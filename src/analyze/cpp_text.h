// Reading demangled names of C++ functions.
#pragma once

#include <string>
#include <string_view>

namespace opsight::analyze {

// The place of the bracket that closes the one at `open`; npos where none does. The '>' of "->" closes
// nothing.
size_t closing_bracket(std::string_view text, size_t open);

// Without "(anonymous namespace)::" and "<unnamed>::".
std::string without_anonymous(std::string_view text);

}  // namespace opsight::analyze
