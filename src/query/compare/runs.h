// Repeated runs a side: how much runs differ from each other is what a difference must stand against.
#pragma once

#include <functional>

#include "query/compare/comparison.h"

namespace opsight::query {

// Opens a run of a side, counted from 0, of `rank` where it has that, as a whole or by its iterations.
using RunReader = std::function<Result<Side>(bool next, size_t run, std::optional<int64_t> rank, bool whole)>;

// kBeside: the runs of one side are read while those of the other are, so `read` is called by two threads.
enum class Reading : uint8_t { kOneByOne, kBeside };

// Reads all runs alike (of the rank of the first; all as a whole where one has no iterations that are sure)
// and compares them: by the medians of the runs where a side has several, else by the iterations. What is
// shown of a side is the run in the middle. No count may be 0.
Result<Comparison> compare_runs(size_t base, size_t next, const RunReader& read,
                                Reading how = Reading::kOneByOne);

}  // namespace opsight::query
