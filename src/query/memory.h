// Allocated and reserved memory over time, for each device of each rank, from the source's events. Of the
// whole profile, whatever range is chosen.
#pragma once

#include <string>
#include <vector>

#include "query/session.h"

namespace opsight {

struct MemoryPoint {
    int64_t time_ns = 0;
    int64_t allocated = 0, reserved = -1;  // the most within the point's part of time; -1: not told
};

struct DeviceMemory {
    int64_t rank = 0;         // its number in the job
    std::string kind;         // "GPU", "CPU" or "other"
    int64_t device = -1;      // -1: the host
    bool from_start = false;  // the source tells only changes: what was there before the first is not known
    int64_t events = 0, peak_allocated = 0, peak_at_ns = 0, peak_reserved = -1;
    std::vector<MemoryPoint> points;  // in the order of time
};

inline constexpr int64_t kMemoryPoints = 2000;  // at most, for each device

Result<std::vector<DeviceMemory>> memory_over_time(Session& session);

}  // namespace opsight
