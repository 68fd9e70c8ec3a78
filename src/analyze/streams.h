// Streams: how long each was at work, why it was idle between, and how much was queued on it.
//
// Work is kernels, copies, sets, and graphs recorded as a whole. The time between the end of all work before
// and the begin of the next is a gap, and counts for the iteration of what ends it. What of it lies before
// the begin of that one, or ends with work of none, counts for the iterations in which it lies:
//   host wait    the next was launched (its call began) after the end of the work before
//   queued wait  it had been launched, and did not begin: the device's own time from one to the next, waits
//   for
//                other streams and for memory
//   other        gaps before work without a known launch
// Queue depth: launched (the call began), not yet finished. Its integral over time is the sum, over the work,
// of end - launch; so each iteration's share of it is a sum too.
//
// The sums need no Profile, so that a stored profile can be summed up for iterations cut anew.
// Cost: linear where the spans of a stream are launched in the order in which they begin, else n log n.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// A kernel, copy or set.
struct StreamSpan {
    TrackId stream;
    int64_t begin = 0, dur = 0;
    int64_t launch_ns = 0;  // begin of the launching call; its own begin where none is known
    bool launched = false;  // a launching call is known
    int32_t iteration = -1;
    double occupancy_pct = -1;  // of kernels; -1: not known
    RankId rank = {};
};

// When a rank was in an iteration, or in several that count as one.
struct IterationTime {
    RankId rank;
    int64_t begin = 0, end = 0;
    int32_t iteration = -1;
};
std::vector<IterationTime> times_of(const std::vector<Iteration>& list);

// Sums by stream and iteration. `spans` are sorted by (stream, begin), the others by (rank, begin): what was
// not recorded is no gap. Where no iterations are given, gaps are of what ends them.
std::vector<StreamStats> sum_streams(const std::vector<StreamSpan>& spans,
                                     const std::vector<RecordingPause>& pauses = {},
                                     const std::vector<IterationTime>& iterations = {});

// The work of a profile; needs launch, host_ns, device_iteration and occupancy_pct.
std::vector<StreamSpan> stream_spans(const Profile& profile, const Analysis& analysis);

}  // namespace opsight::analyze
