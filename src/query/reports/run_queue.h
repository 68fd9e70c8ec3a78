// How long the threads of a run waited for a processor, where its recording tells.
#pragma once

#include "query/session/session.h"

namespace opsight::query {

// Of the threads that run most of each rank's ops, in the chosen range; ns, summed over the ranks.
struct RunQueueWaits {
    bool recorded = false;
    int64_t ns = 0, wall_ns = 0;
    int64_t host_ns = 0, idle_ns = 0;  // of it while the host does what was not recorded, or nothing runs
};
Result<RunQueueWaits> run_queue_waits(Session& session);

}  // namespace opsight::query
