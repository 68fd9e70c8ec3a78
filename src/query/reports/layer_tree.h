// The layers as a tree, with what each and its subtree took, forward and backward. Totals are those of the
// report group_op; forward and backward times add the self times of ops, as there.
#pragma once

#include <string>
#include <vector>

#include "query/session/session.h"

namespace opsight::query {

struct LayerTimes {
    int64_t cpu_ns = 0, gpu_ns = 0, kernels = 0;
};

struct LayerNode {
    int64_t id = -1;      // layers.id; -1: the root, which holds everything
    int64_t parent = -2;  // -2: the root has none
    std::string name, path;
    int64_t depth = 0;
    int64_t calls = 0, cpu_ns = 0, gpu_ns = 0;  // of the subtree
    LayerTimes forward, backward, other, all;   // of the subtree, self times; other: neither, or not known
    LayerTimes own;                             // of the layer's own ops alone
};

// In pre-order, the layers of one parent by what took longest. Layers without an op in the range are left
// out.
Result<std::vector<LayerNode>> layer_tree(Session& session);

}  // namespace opsight::query
