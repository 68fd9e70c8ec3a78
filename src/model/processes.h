// Which process each recording is of, as far as it tells.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace opsight {

// What tells the process of a rank from others: its number, its devices, its host, and the host and process
// in the file's name; empty where no process is told. Linear in the spans.
std::vector<std::string> processes_of_ranks(const Profile& profile);

// When PyTorch's tensorboard_trace_handler wrote a file, in ns since 1970, by its name; -1: not told.
int64_t written_ns(std::string_view source);

}  // namespace opsight
