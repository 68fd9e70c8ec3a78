// Which ops run as one kernel.
#pragma once

#include <vector>

#include "cost/flow.h"

namespace opsight::cost {

struct Group {
    std::vector<size_t> nodes;    // that run, in their order
    std::vector<size_t> passing;  // that these read or write through
    bool attention = false;       // products of scores, softmax and sums, whose inner tensors never exist
};

// In the order of their first nodes. Without `fuse` each node stands alone. An elementwise op joins the op
// that makes one of its inputs, and so does a reduction among elementwise ops. Softmax joins the product of
// two activations that makes its scores, and the product that reads it joins in turn (fused attention). A
// group never waits for something that waits for it.
std::vector<Group> fuse_nodes(const Network& network, const Flow& flow, bool fuse);

}  // namespace opsight::cost
