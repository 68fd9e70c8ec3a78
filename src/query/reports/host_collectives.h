// Collectives that processes do among themselves without a device, as with gloo.
#pragma once

#include <cstdint>

#include "query/reports/activity_times.h"

namespace opsight::query {

struct HostCollectives {
    TimeSpans times;                            // in which a rank has one open and no op runs on it
    int64_t calls = 0, ns = 0, waiting_ns = 0;  // of all ranks; waiting: for the rank that begins last
    int64_t matched = 0;                        // calls that every rank made
    int64_t last_rank = -1, times_last = 0;     // the rank that is the last most often, and in how many calls
};

// Of the chosen range. Cost: linear in ranges and ops, and a sort.
Result<HostCollectives> host_collectives(Session& session);

}  // namespace opsight::query
