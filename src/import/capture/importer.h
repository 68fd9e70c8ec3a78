// Imports what `opsight profile` recorded: one capture file per process (see wire/format.h).
//
// Two passes over each file: the first gathers clock readings and facts, the second makes spans. Processes
// that name the same rank, or none, become tracks of one rank. Memory beyond the profile: one chunk, and 32
// bytes per allocation event of one process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/profile_builder.h"

namespace opsight::capture {

struct CaptureFacts {
    uint64_t files = 0, bytes = 0, records = 0;
    bool closed = true;  // the first process ended its capture itself
};

// True if the first bytes of the file are those of a capture.
bool is_capture(const std::string& path);

// Adds all processes of one run. Files that are no captures make it fail.
Result<CaptureFacts> import_captures(const std::vector<std::string>& paths, ProfileBuilder& builder);

// The same for one capture that lies in memory.
Result<CaptureFacts> import_capture(std::string_view bytes, const std::string& name, ProfileBuilder& builder);

}  // namespace opsight::capture
