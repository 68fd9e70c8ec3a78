// Ranks that wait for each other in collectives: what one of them loses, all lose.
#pragma once

#include <cstdint>
#include <vector>

#include "query/reports/activity_times.h"

namespace opsight::advise {

class SlowRanks {
  public:
    // Of the range. Knows of no ranks where no collective of several was matched.
    static Result<SlowRanks> read(query::Session& session);

    // As if in each iteration every rank had what the one has that has most of these times in it; ns, of all
    // ranks together. Without iterations, and for ranks that do not wait for each other: 0. What ranks lose
    // in turn within an iteration, between collectives, is not added up.
    int64_t all_as_slowest(const query::TimeSpans& times) const;

  private:
    struct Iteration {
        int64_t rank = 0, number = 0, begin = 0, end = 0;
    };
    std::vector<Iteration> iterations_;  // by rank and begin
    int64_t ranks_ = 0;
};

}  // namespace opsight::advise
