// What a layer costs on an accelerator with one mapping (map/analysis.h), as tables.
#pragma once

#include <optional>
#include <string>

#include "map/search.h"
#include "query/ask/result_table.h"

namespace opsight::query {

// How a mapping was found.
struct MappingSearch {
    map::Objective objective = map::Objective::kEnergy;
    int64_t tried = 0, valid = 0, cut = 0;  // mappings, and choices left away
    bool proven = false, stopped = false;
    double bound = 0, cost = 0;  // no mapping has less than the bound; unit_of(objective)
};

struct MappingAnswer {
    map::Problem problem;
    map::Architecture architecture;
    map::Mapping mapping;
    map::Evaluation evaluation;
    std::optional<MappingSearch> search;
};

// Where a part's energies come from: "ERT", "built-in", "architecture", "estimate: ...".
struct EnergySource {
    std::string part, source;
};
// Of the compute units and of all levels that hold something, from within.
std::vector<EnergySource> energy_sources(const map::Architecture& architecture);

// "1.86 mJ", by its size.
std::string energy_words(double pj);

// A row for the compute units, for each data space at each level that keeps it, and for what leaks at a
// level.
ResultTable mapping_levels(const MappingAnswer& answer);
ResultTable no_mapping_levels();  // without rows
// A row for each level and data space that crosses to what is below it.
ResultTable mapping_networks(const MappingAnswer& answer);

}  // namespace opsight::query
