// Numbers of the timeline's tracks: tables lead there as well.
#pragma once

#include <cstdint>

namespace opsight::query {

// The second part of a track's id; the first is tracks.id, or ranks.id of iterations.
enum class TrackPart : uint8_t {
    kCalls,
    kRanges,
    kPython,
    kOsCalls,
    kStream,
    kWaits,
    kIterations,
    kCounter,
    kCount
};

inline int64_t timeline_track_id(int64_t row, TrackPart part) {
    return row * static_cast<int64_t>(TrackPart::kCount) + static_cast<int64_t>(part);
}

}  // namespace opsight::query
