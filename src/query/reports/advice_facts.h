// Small answers that rules of advice judge by. All of the chosen range.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "query/session/session.h"

namespace opsight::query {

// Ops within the optimizer, and those of them that take many tensors at once.
Result<std::pair<int64_t, int64_t>> optimizer_ops(Session& session);

// Kernels, and those that are shorter.
Result<std::pair<int64_t, int64_t>> short_kernels(Session& session, int64_t shorter_than_ns);

// Of the rank with the longest iteration; warm-up left out.
struct IterationSpread {
    int64_t count = 0, median_ns = 0, longest_ns = 0;
    int64_t longest = -1, rank = -1;  // number of the iteration, and of the rank
    int64_t long_ones = 0;            // above `times` the median
};
Result<IterationSpread> iteration_spread(Session& session, double times);

// Only devices that worked, and of which the source tells both.
struct MemoryHeld {
    int64_t rank = 0, device = 0;
    int64_t held = 0, bytes = 0;  // the most that was reserved, and what there is
};
Result<std::vector<MemoryHeld>> device_memory(Session& session);

}  // namespace opsight::query
