// Writes a profile and its analysis into a new profile file (a DuckDB database, see schema.h).
//
// The file grows under a temporary name beside `path` and gets its name when it is complete, so a reader
// never sees half a profile; after a failure nothing is left. Cost: two threads, about 9 million spans a
// second.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "analyze/ranks/clocks.h"
#include "analyze/results.h"
#include "base/result.h"
#include "model/profile.h"

namespace opsight::db {

struct WriteOptions {
    bool overwrite = false;          // replace an existing file
    int threads = 2;                 // 1 or 2 writers
    int64_t memory_limit_bytes = 0;  // for DuckDB; 0: 1.2 GB
    // What align_ranks() found before the analysis; null: the clocks are measured, for what they are worth.
    const std::vector<analyze::RankClock>* clocks = nullptr;
};

// Whether so many rows can be numbered: ids are INTEGER, and a larger one would read as a negative one.
Status check_row_count(std::string_view what, size_t rows, size_t most = std::numeric_limits<int32_t>::max());

Status write_profile(const std::string& path, const Profile& profile, const analyze::Analysis& analysis,
                     const WriteOptions& options = {});

}  // namespace opsight::db
