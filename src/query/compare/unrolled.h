// Layers that a loop calls on one side and that stand beside each other on the other: a block that is called
// three times is what blocks 0, 1 and 2 are.
#pragma once

#include <cstddef>
#include <vector>

#include "query/compare/work_tree.h"

namespace opsight::query {

// Layers of both sides that do the same together; parallel, and not as many on one side as on the other.
struct LayerGroup {
    std::vector<size_t> base, next;
};

// What the search may look at: `free` layers, by place, and whether both sides tell shapes and types apart.
struct UnrolledSearch {
    const WorkTree& tree;
    std::vector<bool> free;
};

// Groups of free layers with equal forward ops and equal children (their names without numbers, for PyTorch's
// profiler counts layers of a type), that stand in one layer on each side and whose forward ops are called as
// often an iteration on both sides taken together; and the groups of their children, behind theirs. Each
// layer is in one group at most. Cost: linear in layers and ops.
std::vector<LayerGroup> unrolled_layers(const UnrolledSearch& base, const UnrolledSearch& next, bool shapes,
                                        bool dtypes);

}  // namespace opsight::query
