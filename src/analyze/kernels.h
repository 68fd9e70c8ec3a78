// Kernels: the table of distinct kernels with class and Tensor Core use, and the theoretical occupancy of
// launches.
//
// Both are facts of a name (a launch shape) and of the device that ran it. Where several devices did, the
// first of them in row order counts: runs with devices of different generations are rare.
#pragma once

#include "analyze/joined_counters.h"
#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// Fills kernels and kernel; ops that launched Tensor Core kernels become eligible for them. A kernel that
// carries the description of a collective is a communication kernel whatever its name; other communication
// kernels take that of the op or range that launched them. `counted`: what counters saw, the best evidence;
// or null.
void find_kernels(Profile& profile, Analysis& analysis, const std::vector<CountedKernel>* counted);

// Fills occupancy_pct and waves from the limits that the source tells of the device, else from those of its
// compute capability; -1 where neither is known, or the source does not tell the registers.
void find_occupancy(const Profile& profile, Analysis& analysis);

}  // namespace opsight::analyze
