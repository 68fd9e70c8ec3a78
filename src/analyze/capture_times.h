// When graphs of device work were captured: what is launched meanwhile becomes a graph's node and runs
// nothing.
#pragma once

#include <vector>

#include "analyze/intervals.h"
#include "model/profile.h"

namespace opsight::analyze {

// By rank: from each begin of a capture to its end, which another thread may call; one without an end lasts
// as long as its thread. A capture is of streams, so the launches of all threads count (autograd's run beside
// the one that captures). Cost: linear, and n log n in the number of captures.
std::vector<Intervals> find_capture_times(const Profile& profile);

// The capture that is going on at `time`; null where there is none.
const Interval* capture_at(const Intervals& captures, int64_t time);

}  // namespace opsight::analyze
