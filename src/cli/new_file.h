// Files that a command writes: never one that is there already, unless asked.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/output_file.h"

namespace opsight::cli {

// Calls `write` with what takes the text piece by piece.
using TakeText = std::function<Status(std::string_view)>;
Status write_new_file(const std::string& path, bool overwrite,
                      const std::function<Status(const TakeText&)>& write);
// The same for a text that is there.
Status write_file(const std::string& path, bool overwrite, std::string_view text);

}  // namespace opsight::cli
