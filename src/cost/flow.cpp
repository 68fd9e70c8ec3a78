#include "cost/flow.h"

#include <algorithm>

#include "cost/estimate.h"

namespace opsight::cost {
namespace {

// A tensor that is put together from more than these is made in memory: so that the work stays linear.
constexpr size_t kMostSources = 64;

// Inputs whose elements the output has: all of a Concat, else the first one; and the places that a Gather
// reads.
size_t data_inputs(const ModelNode& node) {
    if (node.op_type == "Concat") return node.inputs.size();
    return node.op_type.starts_with("Gather") ? 2 : 1;
}

}  // namespace

Flow::Flow(const Network& network, bool fuse) {
    const ModelGraph& graph = network.graph();
    const size_t tensors = graph.tensors.size();
    sources_.resize(tensors);
    readers_.resize(tensors);
    outputs_.assign(tensors, 0);
    made_.assign(tensors, 0);
    for (size_t i = 0; i < tensors; ++i)
        sources_[i] = {static_cast<TensorId>(i)};
    for (TensorId id : graph.outputs)
        outputs_[at(id)] = 1;
    passes_.assign(graph.nodes.size(), 0);
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        const ModelNode& node = graph.nodes[n];
        const OpWork& work = network.work(n);
        if (can_pass(node, work, fuse)) {
            passes_[n] = 1;
            std::vector<TensorId> sources;
            for (size_t i = 0; i < std::min(data_inputs(node), node.inputs.size()); ++i) {
                if (node.inputs[i] == kNoTensor) continue;
                const std::vector<TensorId>& more = sources_[at(node.inputs[i])];
                sources.insert(sources.end(), more.begin(), more.end());
            }
            for (TensorId id : node.outputs)
                if (id != kNoTensor) sources_[at(id)] = sources;
            continue;
        }
        if (work.kind == WorkKind::kFree) continue;
        for (TensorId id : node.outputs)
            if (id != kNoTensor) made_[at(id)] = 1;
        for (TensorId id : node.inputs)
            if (id != kNoTensor)
                for (TensorId source : sources_[at(id)])
                    readers_[at(source)].push_back(n);
    }
    for (TensorId id : graph.outputs)
        for (TensorId source : sources_[at(id)])
            outputs_[at(source)] = 1;
}

// What nothing before it made and nobody after it reads has to be copied.
bool Flow::can_pass(const ModelNode& node, const OpWork& work, bool fuse) const {
    if (node.inputs.empty() || node.inputs[0] == kNoTensor || node.outputs.empty()) return false;
    if (work.is_view && node.outputs[0] != kNoTensor) return true;
    if (!fuse || !work.passes) return false;
    size_t sources = 0;
    bool made = false, leaves = false;
    for (size_t i = 0; i < std::min(data_inputs(node), node.inputs.size()); ++i) {
        if (node.inputs[i] == kNoTensor) continue;
        for (TensorId source : sources_[at(node.inputs[i])])
            made |= made_[at(source)] != 0;
        sources += sources_[at(node.inputs[i])].size();
    }
    for (TensorId id : node.outputs)
        leaves |= id != kNoTensor && outputs_[at(id)] != 0;
    return sources <= kMostSources && (made || !leaves);
}

}  // namespace opsight::cost
