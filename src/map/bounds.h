// What no mapping of a space costs less than, whatever is chosen for dimensions that are still open.
#pragma once

#include "map/analysis.h"
#include "map/map_space.h"

namespace opsight::map {

class Bounds {
  public:
    Bounds(const Problem& problem, const Architecture& architecture, const MapSpace& space);

    // Energy, cycles and words of the last level (nothing else is set) that no mapping with these loops goes
    // below; `open`: bit i, dimension i has no loops yet.
    Evaluation least(const Mapping& mapping, uint32_t open) const;

  private:
    struct Spread {                 // of one level
        double used = 1, free = 1;  // instances that loops take, and those that open dimensions may take
    };
    Spread spread_of(size_t level, const LevelMapping& mapping, uint32_t open) const;
    double energy_of(size_t space, const Mapping& mapping, uint32_t open,
                     const std::vector<Spread>& spread) const;

    // Of each level and dimension: the largest factor across X and across Y that it has a choice for.
    std::vector<std::vector<std::pair<double, double>>> most_across_;
    const Problem& problem_;
    const Architecture& architecture_;
    std::vector<double> words_;                   // of each data space, at least
    std::vector<uint32_t> touched_, apart_;       // dimensions of it; those whose every step is another place
    std::vector<uint32_t> may_keep_, must_keep_;  // of each level
};

}  // namespace opsight::map
