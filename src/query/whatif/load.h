// Chosen iterations of a session as recordings to be replayed: one for each rank and each stretch of
// iterations that follow each other.
#pragma once

#include <cstdint>
#include <vector>

#include "query/whatif/changes.h"
#include "replay/recording.h"

namespace opsight::query {

enum class Doing : uint8_t { kDataLoading, kOp, kCall, kKernel, kCollective, kCopy, kSet, kGraph, kNothing };

struct SpanLabel {
    Doing doing = Doing::kNothing;
    int32_t name = -1;  // of Names: an op, a kernel or a text
};

struct Stretch {
    int64_t rank = 0;
    std::vector<int64_t> iterations;  // their numbers
    replay::Recording recording;
    std::vector<std::vector<SpanLabel>> host, device;  // beside the spans of threads and streams
};

Result<std::vector<Stretch>> load_stretches(Session& session, const Rules& rules);

}  // namespace opsight::query
