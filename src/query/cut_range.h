// The relations of a Session for iterations that were cut anew: which stored instances fall into the chosen
// ones. Host spans go by their begin, device spans by the begin of the call that launched them, as in the
// analysis. Cost: one pass over the instances, with a binary search for each; for the sums of ops only over
// instances outside of stored iterations that the range covers whole.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "query/cut_iterations.h"

namespace opsight {

using Stretches = std::vector<std::pair<int64_t, int64_t>>;  // first and last number, both taken

// Creates sel_ops, sel_device, sel_api (views) and sel_stats (a table; its iterations are NULL, see
// sel_iteration_ops) for the iterations of `list` whose number lies in one of `stretches`.
Status select_cut_range(duck::Connection& connection, const std::vector<CutIteration>& list,
                        const Stretches& stretches);

}  // namespace opsight
