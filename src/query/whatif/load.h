// Chosen iterations of a session as recordings to be replayed: one for each rank and each stretch of
// iterations that follow each other.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "query/whatif/changes.h"
#include "replay/recording.h"

namespace opsight::query {

enum class Doing : uint8_t {
    kDataLoading,
    kOp,
    kCall,
    kKernel,
    kCollective,
    kHostCollective,
    kCopy,
    kSet,
    kGraph,
    kNothing
};

struct SpanLabel {
    Doing doing = Doing::kNothing;
    int32_t name = -1;     // of Names: an op, a kernel or a text
    int32_t op = -1;       // op_identities.id that it counts for; -1: none is open
    int32_t span = -1;     // its number on its track
    bool outside = false;  // of all ops
};

struct Stretch {
    int64_t rank = 0, rank_number = 0;  // ranks.id; in its job
    std::vector<int64_t> iterations;    // their numbers
    replay::Recording recording;
    std::vector<std::vector<SpanLabel>> host, device;  // beside the spans of threads and streams
    std::vector<int64_t> host_tracks, device_tracks;   // tracks.id of threads and streams; -1: none
};

// One after another, each in memory until `take` returns.
Status each_stretch(Session& session, const Rules& rules, const std::function<Status(const Stretch&)>& take);

}  // namespace opsight::query
