#include <algorithm>

#include "cost/estimate.h"

namespace opsight::cost {
namespace {

size_t at(TensorId id) {
    return static_cast<size_t>(id);
}

}  // namespace

Network::Network(const ModelGraph& graph) : graph_(graph) {
    const size_t tensors = graph.tensors.size();
    roots_.resize(tensors);
    readers_.resize(tensors);
    outputs_.assign(tensors, 0);
    gradients_.assign(tensors, 0);
    for (size_t i = 0; i < tensors; ++i) {
        roots_[i] = static_cast<TensorId>(i);
        gradients_[i] = graph.tensors[i].parameter && is_float(graph.tensors[i].type);
    }
    works_.reserve(graph.nodes.size());
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        const ModelNode& node = graph.nodes[n];
        works_.push_back(op_work(graph, node));
        const OpWork& work = works_.back();
        bool gradient = false;
        for (TensorId id : node.inputs) {
            if (id == kNoTensor) continue;
            gradient |= gradients_[at(id)] != 0;
            if (work.kind != WorkKind::kFree) readers_[at(roots_[at(id)])].push_back(n);
        }
        if (work.is_view && !node.inputs.empty() && !node.outputs.empty() && node.inputs[0] != kNoTensor &&
            node.outputs[0] != kNoTensor)
            roots_[at(node.outputs[0])] = roots_[at(node.inputs[0])];
        for (TensorId id : node.outputs)
            if (id != kNoTensor)
                gradients_[at(id)] = gradient && !node.folded && is_float(graph.tensors[at(id)].type);
    }
    for (TensorId id : graph.outputs)
        outputs_[at(roots_[at(id)])] = 1;
}

bool Network::is_batched(const ModelNode& node) const {
    const auto batched = [&](TensorId id) { return id != kNoTensor && graph_.tensors[at(id)].batched; };
    return std::any_of(node.inputs.begin(), node.inputs.end(), batched) ||
           std::any_of(node.outputs.begin(), node.outputs.end(), batched);
}

Sizes::Sizes(const Network& network, const Settings& settings)
    : graph_(network.graph()), precision_(settings.precision), sparse_(settings.sparse) {
    const double own = static_cast<double>(graph_.own_batch);
    scale_ = settings.batch > 0 ? settings.batch / own : 1;
}

double Sizes::of(TensorId id) const {
    const ModelTensor& tensor = graph_.tensors[at(id)];
    double bits = static_cast<double>(bits_of(tensor.type));
    if (precision_ && is_float(tensor.type)) bits = static_cast<double>(hardware::bits_of(*precision_));
    // Half of the weights are kept, and two bits for each of them say where it stood. Vectors stay as they
    // are.
    if (sparse_ && tensor.parameter && tensor.shape.size() >= 2) bits = (bits + 2) / 2;
    const double bytes = static_cast<double>(tensor.elements()) * bits / 8;
    return tensor.batched ? bytes * scale_ : bytes;
}

}  // namespace opsight::cost
