// The iterations of the range, and what of some times lies in each.
#pragma once

#include <cstdint>
#include <optional>
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

// Times most of which lie in a tenth of the iterations or less, which a mean over all of them hides.
struct InFew {
    size_t few = 0, iterations = 0;
    int64_t most_in = 0;    // number of the iteration that has most
    double pct = 0;         // of these times, in the few
    int64_t others_ns = 0;  // in each of the others, on average

    std::string where() const;     // "mostly in iteration 12", "mostly in 2 of 20 iterations"
    std::string sentence() const;  // what that does to a bound
};
std::optional<InFew> mostly_in_few(const IterationTimes& iterations, const query::TimeSpans& times);

}  // namespace opsight::advise
