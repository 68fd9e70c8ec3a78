// Files that a command writes: never one that is there already, unless asked.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace opsight::cli {

// Calls `write` with what takes the text piece by piece.
using TakeText = std::function<Status(std::string_view)>;
Status write_new_file(const std::string& path, bool overwrite,
                      const std::function<Status(const TakeText&)>& write);

}  // namespace opsight::cli
