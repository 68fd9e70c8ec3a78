// What each iteration's time, until the next one begins, went to, in classes that exclude each other
// (docs/metrics.md, resource shares). Of all iterations, in the range or not. Cost: one pass over the stored
// segments.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "query/session/session.h"

namespace opsight::query {

inline constexpr size_t kResources = 10;  // as raw.resource_segments.resource
inline constexpr size_t kIdleResource = 7;
// Their keys, as programs get them.
inline constexpr std::string_view kShareNames[kResources] = {
    "tensor_core", "other_kernel", "communication", "memory",         "dataloader",
    "io",          "cpu",          "idle",          "unknown_kernel", "host"};

struct IterationShares {
    int64_t rank = 0;  // its number in the job
    int64_t iteration = 0, begin_ns = 0, dur_ns = 0;
    bool selected = false, warmup = false;
    std::array<int64_t, kResources> ns{};  // add up to dur_ns
};

// By rank and begin.
Result<std::vector<IterationShares>> iteration_shares(Session& session);

// The same of the range alone, whose iterations add up to its wall clock (sel_iteration_times). A range that
// is the whole recording has none: then it is one for each rank, of number -1, from its first to its last
// moment.
Result<std::vector<IterationShares>> shares_of_range(Session& session);

// How long the iterations of a rank are that the range has.
struct RankPace {
    int64_t rank = 0, iterations = 0;
    std::optional<int64_t> mean_ns, deviation_ns;  // of none, and of less than two, not known
    // Its mean is the longest, and by more than the deviation of it and of the next. Where one of them has
    // but one iteration that spread is not known, and it must be longer by 5 % too.
    bool slowest = false;
    bool spread_known = false;  // of the slowest: by the deviations of both
};

// By rank; `iterations` as iteration_shares() gives them.
std::vector<RankPace> rank_paces(const std::vector<IterationShares>& iterations);

}  // namespace opsight::query
