// What a layer costs on an accelerator with one mapping (map/analysis.h), as tables.
#pragma once

#include <optional>
#include <string>

#include "map/analysis.h"
#include "query/ask/result_table.h"

namespace opsight::query {

// How a mapping was found.
struct MappingSearch {
    std::string objective;
    int64_t tried = 0, valid = 0, cut = 0;  // mappings, and choices left away
    bool proven = false, stopped = false;
    double bound = 0, cost = 0;  // no mapping has less than the bound; in pJ, cycles or J * cycles
};

struct MappingAnswer {
    map::Problem problem;
    map::Architecture architecture;
    map::Mapping mapping;
    map::Evaluation evaluation;
    std::optional<MappingSearch> search;
};

// A row for the compute units, for each data space at each level that keeps it, and for what leaks at a
// level.
ResultTable mapping_levels(const MappingAnswer& answer);
// A row for each level and data space that crosses to what is below it.
ResultTable mapping_networks(const MappingAnswer& answer);

}  // namespace opsight::query
