#include <algorithm>

#include "cost/estimate.h"

namespace opsight::cost {
namespace {

// Ops whose output has the elements of their first input.
bool keeps_elements(const OpWork& work, const ModelNode& node) {
    return work.is_view || (work.passes && node.op_type != "Concat" && !node.op_type.starts_with("Cast"));
}

}  // namespace

Network::Network(const ModelGraph& graph) : graph_(graph) {
    const size_t tensors = graph.tensors.size();
    quantized_.assign(tensors, ElementType::kUnknown);
    gradients_.assign(tensors, 0);
    for (size_t i = 0; i < tensors; ++i)
        gradients_[i] = graph.tensors[i].parameter && is_float(graph.tensors[i].type);
    works_.reserve(graph.nodes.size());
    for (const ModelNode& node : graph.nodes) {
        works_.push_back(op_work(graph, node));
        bool gradient = false;
        for (TensorId id : node.inputs)
            if (id != kNoTensor) gradient |= gradients_[at(id)] != 0;
        ElementType quantized = ElementType::kUnknown;
        if (const ModelTensor* first = node.inputs.empty() ? nullptr : graph.tensor(node.inputs[0])) {
            if (node.op_type == "DequantizeLinear")
                quantized = first->type;
            else if (keeps_elements(works_.back(), node))
                quantized = quantized_[at(node.inputs[0])];
        }
        for (TensorId id : node.outputs) {
            if (id == kNoTensor) continue;
            quantized_[at(id)] = quantized;
            gradients_[at(id)] = gradient && !node.folded && is_float(graph.tensors[at(id)].type);
        }
    }
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
    // What is quantized stays so.
    const bool quantized = tensor.type == ElementType::kFloat8 || tensor.type == ElementType::kFloat4;
    if (precision_ && is_float(tensor.type) && !quantized)
        bits = static_cast<double>(hardware::bits_of(*precision_));
    // Half of the weights are kept, and two bits for each of them say where it stood. Vectors stay as they
    // are.
    if (sparse_ && tensor.parameter && tensor.shape.size() >= 2) bits = (bits + 2) / 2;
    const double bytes = static_cast<double>(tensor.elements()) * bits / 8;
    return tensor.batched ? bytes * scale_ : bytes;
}

}  // namespace opsight::cost
