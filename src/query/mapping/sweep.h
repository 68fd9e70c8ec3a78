// The best mappings for a grid of sizes of an architecture.
#pragma once

#include <functional>

#include "query/ask/result_table.h"
#include "query/mapping/network_search.h"

namespace opsight::query {

struct SweepAxis {
    std::string part, attribute;
    std::vector<double> values;
};
struct SweepValue {
    std::string part, attribute;
    double value = 0;
};

// Most points of a grid.
inline constexpr size_t kMostSweepPoints = 1000;

// Finds the mappings for one choice of values; an error ends the sweep.
using LookAt = std::function<Result<NetworkMapping>(const std::vector<SweepValue>&)>;

// A row for each point, in the order of the axes. Points where nothing fits have no numbers, but the reason.
Result<ResultTable> sweep_table(const std::vector<SweepAxis>& axes, const map::SearchSettings& settings,
                                const LookAt& look);

}  // namespace opsight::query
