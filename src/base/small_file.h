// The whole of a small file, such as a list of settings. What is longer than `most` is an error and is not
// read to its end, so that a device without end takes neither time nor memory.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace opsight {

constexpr size_t kLargestSettings = size_t{16} << 20;  // bytes of a file that people write

// Of what somebody names: a pipe will do, as shells make it for <(command).
Result<std::string> small_file(const std::string& path, size_t most);

// Of what is found in a folder: only a regular file, since nothing else would be there unless to hold us up.
Result<std::string> small_regular_file(const std::string& path, size_t most);

}  // namespace opsight
