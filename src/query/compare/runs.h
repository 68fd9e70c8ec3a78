// Repeated runs a side: how much runs differ from each other is what a difference must stand against.
#pragma once

#include <functional>

#include "query/compare/comparison.h"

namespace opsight::query {

// How a run is read.
struct RunChoice {
    std::optional<int64_t> rank = {};  // where it has that
    bool whole = false;                // all that was recorded, else its iterations
    int64_t warmup = 0;  // of these so many are left out at the least, where no range was asked for
};

// Opens a run of a side, counted from 0.
using RunReader = std::function<Result<Side>(bool next, size_t run, const RunChoice& choice)>;

// kBeside: the runs of one side are read while those of the other are, so `read` is called by two threads.
enum class Reading : uint8_t { kOneByOne, kBeside };

// Reads all runs alike (of the rank of the first; all as a whole where one has no iterations that are sure;
// without as many first iterations as the one that leaves most out as warm-up: what these alone run would be
// added or gone) and compares them: by the medians of the runs where a side has several, else by the
// iterations. What is shown of a side is the run in the middle. No count may be 0.
Result<Comparison> compare_runs(size_t base, size_t next, const RunReader& read,
                                Reading how = Reading::kOneByOne);

}  // namespace opsight::query
