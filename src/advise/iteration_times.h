// The iterations of the range, and what of some times lies in each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/reports/activity_times.h"

namespace opsight::advise {

struct IterationTimes {
    struct One {
        int64_t rank = 0, number = 0, begin = 0, end = 0;  // ns
    };
    std::vector<One> all;     // by rank and begin
    bool collective = false;  // the ranks wait for each other in collectives

    static Result<IterationTimes> read(query::Session& session);

    // Of each of `all`, the ns of these times that lie in it.
    std::vector<int64_t> in_each(const query::TimeSpans& times) const;
};

// As if in each iteration every rank had what the one has that has most of these times in it; ns, of all
// ranks together. Without iterations, and for ranks that do not wait for each other: 0. What ranks lose in
// turn within an iteration, between collectives, is not added up.
int64_t all_as_slowest(const IterationTimes& iterations, const query::TimeSpans& times);

// What to say of times most of which lie in a tenth of the iterations or less, for a mean over all
// iterations hides that; else nothing.
std::string mostly_in_few(const IterationTimes& iterations, const query::TimeSpans& times);

}  // namespace opsight::advise
