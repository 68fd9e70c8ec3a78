// The choices that constraints leave: factors of every dimension, data spaces that bypass levels, orders of
// loops.
#pragma once

#include <vector>

#include "map/constraints.h"

namespace opsight::map {

// A loop that a dimension may have: its level, and in time or across.
struct Slot {
    size_t level = 0;
    Across across = Across::kTime;
};

struct DimensionChoices {
    std::vector<Slot> slots;
    std::vector<std::vector<int64_t>> factors;  // each as long as slots; their product is the bound
};

class MapSpace {
  public:
    // Fails where the constraints leave nothing, or a level has no room for the smallest tiles that they
    // allow. The error's place is "level Buffer", "keep of Buffer", "bound of C" or "dimension C".
    static Result<MapSpace> make(const Problem& problem, const Architecture& architecture,
                                 const Constraints& constraints);

    const std::vector<DimensionChoices>& dimensions() const { return dimensions_; }
    // What each level may keep: bit i, data space i.
    const std::vector<std::vector<uint32_t>>& kept() const { return kept_; }
    // Of factors, bypass and orders, as if every order of every level were another mapping.
    double size() const;

    // Puts a dimension's factors into a mapping; `choice` is a place in its factors.
    void put(size_t dimension, size_t choice, Mapping& into) const;
    // Puts each level's loops into the first order that it may have; those behind `fixed` may be permuted.
    std::vector<size_t> sort_loops(Mapping& mapping) const;

  private:
    Status check_room(const Problem& problem, const Architecture& architecture) const;
    Status add_slots(const Architecture& architecture, size_t dimension, const std::string& name,
                     int64_t bound);
    void add_factors(const std::vector<FactorRule>& rules, const std::vector<int64_t>& limits,
                     const std::vector<int64_t>& divisors, int64_t rest, std::vector<int64_t>& so_far,
                     DimensionChoices& into) const;

    Constraints constraints_;
    std::vector<DimensionChoices> dimensions_;
    std::vector<std::vector<uint32_t>> kept_;
};

}  // namespace opsight::map
