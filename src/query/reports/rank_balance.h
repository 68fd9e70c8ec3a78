// What rules of advice judge the balance of ranks by. All of the chosen range.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "query/reports/activity_times.h"

namespace opsight::query {

// The rank that others wait for in most iterations. Own: an iteration without waiting for others, the median.
// Kernels: in an iteration on average, collectives not counted.
struct LateRank {
    int64_t rank = 0, iterations = 0, iterations_last = 0;
    int64_t caused_ns = 0, all_caused_ns = 0;  // waiting of the others; by whichever rank
    int64_t own_ns = 0, others_own_ns = 0;     // of the others: the median of theirs
    double kernels = 0, others_kernels = 0;
    std::string cause, cause_op;  // what it mostly does before it comes last; may be empty
    // Where most of its time beyond the others' is, and how much they have of that: medians of iterations.
    std::string excess_class;
    int64_t class_ns = 0, others_class_ns = 0;
};
// Nothing where no rank is the last in more than half of at least three iterations (the pattern "persistent"
// of the report stragglers).
Result<std::optional<LateRank>> late_rank(Session& session);

// When ranks wait in a collective on their device for the one that enters it last, and compute nothing
// beside. `first`: also in the first one, which ranks enter as their recordings begin.
Result<TimeSpans> waits_for_ranks(Session& session, bool first);

}  // namespace opsight::query
