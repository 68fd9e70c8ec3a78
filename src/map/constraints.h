// What a search for mappings may choose.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "map/mapping.h"

namespace opsight::map {

// One dimension's loop at one level.
struct FactorRule {
    int64_t exactly = 0;  // 0: any
    int64_t at_most = 0;  // 0: any
};

struct LevelRules {
    std::array<FactorRule, kMaxDimensions> in_time{}, across{};
    std::vector<int>
        order;  // of loops in time, from the innermost; what is not named goes outside, in any order
    std::vector<int> across_order;  // of spatial loops
    std::optional<size_t> split;    // so many of these along X, the others along Y; nothing: either
    uint32_t keep = 0, bypass = 0;  // data spaces that must stay here, and that must not
};

struct Constraints {
    std::vector<LevelRules> levels;  // as those of the architecture
};

}  // namespace opsight::map
