// Imports what `opsight profile` recorded: one capture file per process (see wire/format.h).
//
// Two passes over each file: the first gathers clock readings and facts, the second makes spans. ranks.h
// tells which processes become tracks of which rank. Memory beyond the profile: one chunk, and 32 bytes per
// allocation event of one process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace opsight::importer::capture {

struct CaptureFacts {
    uint64_t files = 0, bytes = 0, records = 0;
    bool closed = true;  // the first process ended its capture itself
};

// True if the file's name is that of a capture.
bool is_named_so(const std::string& path);
// True if a process ended while it opened this capture: its first bytes come last, until then they are 0. Not
// of a file that is empty or cannot be read.
bool was_being_opened(const std::string& path);

// Adds all processes of one run. A file that cannot be read makes it fail, or (`lenient`) is left out and
// counted, unless none can be read. `progress`, if there is one, is told of the bytes read.
Result<CaptureFacts> import_captures(const std::vector<std::string>& paths, bool lenient,
                                     ProfileBuilder& builder, Progress* progress = nullptr);

// The same for one capture that lies in memory.
Result<CaptureFacts> import_capture(std::string_view bytes, const std::string& name, ProfileBuilder& builder);

}  // namespace opsight::importer::capture
