// The wall clock of a range: what utilization, shares and average iteration time are measured against.
#pragma once

#include <string>
#include <vector>

#include "query/session/cut_range.h"
#include "query/session/session.h"

namespace opsight::query {

// First and last number of each run of iterations without a gap.
Stretches stretches_of(const Range& range);

// A stretch of time that the numbers of a range are about.
struct WallStretch {
    int64_t rank = 0;  // its number in the job
    int64_t begin_ns = 0, end_ns = 0;
};

// By rank and begin; of a whole profile none, for all of it is.
Result<std::vector<WallStretch>> wall_stretches(Session& session);

// Makes all_iteration_times, over all_iterations, and sel_iteration_times (see Session), over sel_iterations
// and, where the range is not the whole run, sel_wall.
std::string iteration_times_sql(bool whole);

}  // namespace opsight::query
