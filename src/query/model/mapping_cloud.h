// The cloud of mappings of a problem (map/cloud.h), as tables.
#pragma once

#include "map/cloud.h"
#include "query/ask/result_table.h"
#include "query/model/mappings.h"

namespace opsight::query {

// The first field of a cloud as JSON, which the viewer knows its file by, and its value.
constexpr std::string_view kCloudMark = "opsight_mapping_cloud";
constexpr int kCloudFormat = 1;

// A mapping of a cloud, told in full.
struct ToldDraw {
    uint64_t draw = 0;
    MappingAnswer mapping;
};

struct CloudAnswer {
    map::Problem problem;
    map::Architecture architecture;
    map::Cloud cloud;
    uint64_t seed = 1;
    // With the least energy of all; with the least and the most of those with the fewest outer accesses.
    MappingAnswer best, frugal, wasteful;
    std::vector<ToldDraw> told;  // of the front, from the quickest, and both with the fewest outer accesses
    // No mapping of the space costs less, drawn or not: energy, cycles, and words at the outermost level.
    map::Evaluation least;

    const std::string& outer() const { return architecture.levels.back().name; }
    // The points of the Pareto front, from the quickest.
    std::vector<const map::CloudPoint*> front() const;
};

// A row for each point: its number, energy, cycles, EDP, words at the outermost level, whether it is on the
// Pareto front. With `most` above 0 that many at most: those of the front and those with the fewest outer
// accesses first, then the others as they were drawn; the rows are in the order of the draws.
ResultTable cloud_points(const CloudAnswer& answer, size_t most = 0);
// The Pareto front alone, from the quickest.
ResultTable cloud_front(const CloudAnswer& answer);
// A row for each objective: the least that was drawn, and how far the bound of all mappings is below it.
ResultTable cloud_best(const CloudAnswer& answer);

// These tables without rows.
ResultTable no_cloud_points();
ResultTable no_cloud_front();
ResultTable no_cloud_best();

}  // namespace opsight::query
