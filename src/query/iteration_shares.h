// What each iteration's time, until the next one begins, went to, in classes that exclude each other
// (docs/metrics.md, resource shares). Of all iterations, in the range or not. Cost: one pass over the stored
// segments.
#pragma once

#include <array>
#include <vector>

#include "query/session.h"

namespace opsight {

inline constexpr size_t kResources = 10;  // as raw.resource_segments.resource
inline constexpr size_t kIdleResource = 7;

struct IterationShares {
    int64_t rank = 0;  // its number in the job
    int64_t iteration = 0, begin_ns = 0, dur_ns = 0;
    bool selected = false, warmup = false;
    std::array<int64_t, kResources> ns{};  // add up to dur_ns
};

// By rank and begin.
Result<std::vector<IterationShares>> iteration_shares(Session& session);

}  // namespace opsight
