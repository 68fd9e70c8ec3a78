// The wall clock of a range: what utilization, shares and average iteration time are measured against.
#pragma once

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

}  // namespace opsight::query
