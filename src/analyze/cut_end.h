// The last iteration of a recording that ended within it.
#pragma once

#include <vector>

#include "analyze/iterations.h"

namespace opsight::analyze {

// Takes the last iteration of each rank out where it has no optimizer step, each of the three or more before
// it has one, and it is shorter than half of them: its recording ended within it, or it is something else.
// Returns of how many ranks. `steps` are in any order.
size_t leave_cut_ends_out(std::vector<Iteration>& iterations, const std::vector<IterationCandidate>& steps);

}  // namespace opsight::analyze
