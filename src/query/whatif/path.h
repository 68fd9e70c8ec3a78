// The critical path of the chosen iterations: what their end waited for, one piece after another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "query/session/session.h"
#include "query/whatif/whatif.h"

namespace opsight::query {

// A stretch of a span, or of a thread between spans, that is on the path. Delays are not: they are in
// between.
struct PathPiece {
    int64_t rank = 0;                  // ranks.id
    int64_t track = -1;                // of the timeline (track_id.h); -1: no thread was recorded
    int64_t span = -1;                 // its number there; -1: between spans
    int64_t begin_ns = 0, dur_ns = 0;  // as recorded
    std::string_view kind;             // "op", "call", "kernel", "gap", ...
    int32_t name = -1;                 // of CriticalPath::names
    int32_t op = -1, kernel = -1;      // op_identities.id that it counts for, kernel_names.id; -1: of none
    bool outside = true;               // of all ops
};

struct CriticalPath {
    std::vector<PathPiece> pieces;  // by rank and time; those of one span that touch are one
    std::vector<std::string> names;
    int64_t length_ns = 0, delays_ns = 0;  // delays: the part of the length that no piece has
    int64_t iterations = 0;
    double error = 0, unexplained = 0;  // of the replay (whatif.h)
    double unlaunched_pct = 0;          // Grounds
    bool simulatable() const {
        return error <= WhatIf::kLargestError && unexplained <= WhatIf::kMostUnexplained;
    }
};

// Nothing where the range has no work at all, or a recording that cannot be replayed (grounds.h). Cost:
// linear in the spans of the range; an error where they are more than people wait for.
Result<std::optional<CriticalPath>> critical_path(Session& session);

// How many spans a replay of the range goes through, where they are too many to wait for; else 0.
Result<int64_t> too_many_to_replay(Session& session);

}  // namespace opsight::query
