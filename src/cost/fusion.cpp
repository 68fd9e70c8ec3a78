// Which ops run as one: an elementwise op joins the op that makes one of its inputs, and so does a reduction
// among elementwise ops. A group never waits for something that waits for it: all else that a joining op
// reads must have been there before the group's first op.
#include <algorithm>

#include "cost/estimate.h"

namespace opsight::cost {
namespace {

struct Group {
    std::vector<size_t> nodes;
    bool products =
        false;  // holds a convolution or a matrix product, or an op that nothing but elementwise joins
};

bool counts(const OpWork& work) {
    return work.kind != WorkKind::kFree;
}

bool joins(const OpWork& work, const Group& group) {
    if (work.fuse == FuseKind::kElementwise) return true;
    return work.fuse == FuseKind::kReduction && !group.products;
}

// Moves data in ways that fused kernels do not follow, or is not known.
bool stands_alone(const OpWork& work) {
    return work.kind == WorkKind::kUncounted ||
           (work.kind == WorkKind::kMove && work.fuse == FuseKind::kNever);
}

}  // namespace

std::vector<std::vector<size_t>> fuse_nodes(const Network& network, bool fuse) {
    const ModelGraph& graph = network.graph();
    std::vector<Group> groups;
    std::vector<int64_t> maker(graph.tensors.size(), -1);    // group that makes a root
    std::vector<int64_t> made_at(graph.tensors.size(), -1);  // node that makes a root
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        const ModelNode& node = graph.nodes[n];
        const OpWork& work = network.work(n);
        if (!counts(work)) {
            // A view's output is its root; what else is free was there before.
            continue;
        }
        int64_t best = -1;
        if (fuse && !stands_alone(work))
            for (TensorId id : node.inputs)
                if (id != kNoTensor) best = std::max(best, maker[static_cast<size_t>(network.root(id))]);
        if (best >= 0) {
            Group& group = groups[static_cast<size_t>(best)];
            bool fits = joins(work, group) && graph.nodes[group.nodes[0]].repeat == node.repeat;
            for (TensorId id : node.inputs) {
                if (id == kNoTensor) continue;
                const size_t root = static_cast<size_t>(network.root(id));
                if (maker[root] != best && made_at[root] > static_cast<int64_t>(group.nodes[0])) fits = false;
            }
            if (!fits) best = -1;
        }
        if (best < 0) {
            best = static_cast<int64_t>(groups.size());
            groups.push_back({{}, work.kind == WorkKind::kMatrix || work.fuse == FuseKind::kNever});
        }
        groups[static_cast<size_t>(best)].nodes.push_back(n);
        for (TensorId id : node.outputs) {
            if (id == kNoTensor) continue;
            made_at[static_cast<size_t>(id)] = static_cast<int64_t>(n);
            if (!stands_alone(work)) maker[static_cast<size_t>(id)] = best;
        }
    }
    std::vector<std::vector<size_t>> out;
    out.reserve(groups.size());
    for (Group& group : groups)
        out.push_back(std::move(group.nodes));
    return out;
}

}  // namespace opsight::cost
