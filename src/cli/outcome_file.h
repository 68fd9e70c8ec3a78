// How a profiled program ended, as a small JSON file for the scripts that run it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace opsight::cli {

struct Outcome {
    int exit_code = 0;
    std::string signal;                // "SIGKILL"; empty: none
    double wall_s = 0;                 // of the program alone
    std::optional<int64_t> rss_bytes;  // the most that one of its processes held
};

// Replaces what is there.
Status write_outcome(const std::string& path, const Outcome& outcome);
// code kNotFound where there is no such file.
Result<Outcome> read_outcome(const std::string& path);

// The most that one of the ended children of this process, and of theirs, held.
std::optional<int64_t> peak_of_children();

}  // namespace opsight::cli
