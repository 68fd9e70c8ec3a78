// Patterns of ops that rules of advice look for, and the times in which they go on. All of the chosen range.
#pragma once

#include <cstdint>

#include "query/reports/activity_times.h"

namespace opsight::query {

enum class OpPattern : uint8_t {
    kRepeated,     // one op over and over, with the same shapes
    kElementwise,  // element by element, one after the other
    kGrowing,      // a tensor that grows by concatenation
    kRecomputed,   // forward work within the backward pass
    kDense,        // gradients of whole embeddings of which few rows were used
    kAnomaly,      // checks for NaN in the backward pass
};

struct PatternTimes {
    TimeSpans host, device;  // from the first op of a stretch to its last; kernels that these ops launched
    int64_t ops = 0;
};

// least: ops in a stretch, rows of an embedding, or how often an iteration does it. parts: iterations.
// Cost: linear in the ops and kernels, and a sort.
Result<PatternTimes> times_of_pattern(Session& session, OpPattern pattern, int64_t least, int64_t parts);

}  // namespace opsight::query
