// JSON as Python's json.dumps and PyTorch's profiler write it: on one line, with a blank after each comma.
#pragma once

#include <string>
#include <string_view>

namespace opsight {

// "[\n [2,3],\n []\n]" as "[[2, 3], []]"; what is within strings stays as it stands. Linear.
std::string one_line_json(std::string_view json);

}  // namespace opsight
