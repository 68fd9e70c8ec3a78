// Lists as Python's str() writes them, as JSON.
#pragma once

#include <string>
#include <string_view>

namespace opsight::importer {

// "[[1, 2], 'cuda:0', True, None, inf]" becomes [[1, 2], "cuda:0", true, null, null]. What is neither is left
// as it is, so that it is not JSON either.
std::string json_of_python(std::string_view text);

}  // namespace opsight::importer
