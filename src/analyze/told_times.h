// Whether what a source tells of work within a device's memory can be true.
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyze/results.h"

namespace opsight::analyze {

inline constexpr const char* kBeatsCaches =
    "copies and sets that take less than a tenth of the memory's time have no bound: their time or size is "
    "not that of the work";

// Caches of GPUs have up to seven times the rate of their memory: what is faster than ten times moved less
// than its bytes, or took longer than is told. Seen: sets of 4 GB in 1.1 us.
inline bool beats_caches(const DevicePeaks& device, double bytes, int64_t ns) {
    constexpr double kTimes = 10;
    const double rate = device.model.bandwidth;
    return rate > 0 && bytes / static_cast<double>(std::max<int64_t>(ns, 1)) * 1e9 > kTimes * rate;
}

}  // namespace opsight::analyze
