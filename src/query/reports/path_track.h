// The critical path as the timeline draws it: pieces with the kinds of their spans (timeline/lanes.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "query/whatif/path.h"

namespace opsight::query {

struct PathTrack {
    CriticalPath path;                    // its pieces are cut to kMostPieces, the longest
    std::vector<std::string_view> kinds;  // beside the pieces: "op_forward", "kernel", "wait", ...
    std::vector<int64_t> ranks;           // beside the pieces: number of the rank in its job
    int64_t left_out = 0;                 // pieces
    std::string lacks;  // why there is no path: the range has no work, or cannot be replayed (grounds.h)
    static constexpr size_t kMostPieces = 100'000;
};

Result<PathTrack> path_track(Session& session);

}  // namespace opsight::query
