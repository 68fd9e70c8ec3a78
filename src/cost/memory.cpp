// Peak memory: weights stay, activations live from the op that makes them to the last that reads them, and
// their memory is used again. In training those that the backward pass reads stay until then.
#include <algorithm>

#include "cost/estimate.h"

namespace opsight::cost {
namespace {

size_t at(TensorId id) {
    return static_cast<size_t>(id);
}

// Distinct roots among the tensors of some nodes, activations only.
template <class Each>
void each_activation(const Network& network, const std::vector<TensorId>& ids, Each each) {
    for (size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] == kNoTensor || network.graph().tensors[at(ids[i])].constant) continue;
        const TensorId root = network.root(ids[i]);
        if (network.graph().tensors[at(root)].constant) continue;
        const auto same = [&](TensorId id) { return id != kNoTensor && network.root(id) == root; };
        if (std::any_of(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(i), same)) continue;
        each(root);
    }
}

// Roots that never leave a fused group.
std::vector<char> inner_roots(const Network& network, const std::vector<std::vector<size_t>>& groups) {
    std::vector<char> inner(network.graph().tensors.size(), 0);
    std::vector<size_t> group_of(network.graph().nodes.size(), SIZE_MAX);
    for (size_t g = 0; g < groups.size(); ++g)
        for (size_t n : groups[g])
            group_of[n] = g;
    for (size_t g = 0; g < groups.size(); ++g)
        for (size_t n : groups[g])
            for (TensorId id : network.graph().nodes[n].outputs) {
                if (id == kNoTensor || network.is_output(id)) continue;
                const std::vector<size_t>& readers = network.readers(id);
                inner[at(id)] = groups[g].size() > 1 && !readers.empty() &&
                                std::all_of(readers.begin(), readers.end(),
                                            [&](size_t reader) { return group_of[reader] == g; });
            }
    return inner;
}

struct Lifetimes {
    double peak = 0, largest = 0, all = 0;
};

Lifetimes walk(const Network& network, const Sizes& sizes, const std::vector<std::vector<size_t>>& groups,
               const std::vector<char>& inner) {
    const ModelGraph& graph = network.graph();
    std::vector<int64_t> reads_left(graph.tensors.size(), 0);
    for (size_t i = 0; i < graph.tensors.size(); ++i)
        reads_left[i] = static_cast<int64_t>(network.readers(static_cast<TensorId>(i)).size());
    Lifetimes out;
    double live = 0;
    for (TensorId id : graph.inputs) {
        live += sizes.of(id);
        out.all += sizes.of(id);
    }
    out.peak = live;
    for (const std::vector<size_t>& group : groups)
        for (size_t n : group) {
            double working = 0, made = 0;
            each_activation(network, graph.nodes[n].outputs, [&](TensorId root) {
                if (!inner[at(root)]) made += sizes.of(root);
            });
            each_activation(network, graph.nodes[n].inputs, [&](TensorId root) {
                if (!inner[at(root)]) working += sizes.of(root);
            });
            live += made;
            out.all += made;
            out.peak = std::max(out.peak, live);
            out.largest = std::max(out.largest, working + made);
            for (TensorId id : graph.nodes[n].inputs) {
                if (id == kNoTensor) continue;
                const TensorId root = network.root(id);
                const ModelTensor& tensor = graph.tensors[at(root)];
                if (tensor.constant || --reads_left[at(root)] > 0 || network.is_output(root)) continue;
                if (!inner[at(root)]) live -= sizes.of(root);
            }
            for (TensorId id : graph.nodes[n].outputs)  // made and never read
                if (id != kNoTensor && network.readers(id).empty() && !network.is_output(id) &&
                    !inner[at(id)] && !graph.tensors[at(id)].constant)
                    live -= sizes.of(id);
        }
    return out;
}

// What the forward pass keeps for the backward pass.
double kept_activations(const Network& network, const Sizes& sizes) {
    const ModelGraph& graph = network.graph();
    std::vector<char> kept(graph.tensors.size(), 0);
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        const OpWork& work = network.work(n);
        const ModelNode& node = graph.nodes[n];
        const auto needs = [&](TensorId id) { return id != kNoTensor && network.needs_gradient(id); };
        if (work.kind == WorkKind::kFree || std::none_of(node.inputs.begin(), node.inputs.end(), needs))
            continue;
        if (work.saves_inputs)
            each_activation(network, node.inputs, [&](TensorId root) { kept[at(root)] = 1; });
        if (work.saves_output)
            each_activation(network, node.outputs, [&](TensorId root) { kept[at(root)] = 1; });
    }
    double bytes = 0;
    for (size_t i = 0; i < kept.size(); ++i)
        if (kept[i]) bytes += sizes.of(static_cast<TensorId>(i));
    return bytes;
}

// Most that the gradients of one op's output and inputs take together.
double largest_gradients(const Network& network, const Sizes& sizes) {
    double largest = 0;
    for (size_t n = 0; n < network.graph().nodes.size(); ++n) {
        if (network.work(n).kind == WorkKind::kFree) continue;
        double bytes = 0;
        const auto add = [&](TensorId root) {
            if (network.needs_gradient(root)) bytes += sizes.of(root);
        };
        each_activation(network, network.graph().nodes[n].inputs, add);
        each_activation(network, network.graph().nodes[n].outputs, add);
        largest = std::max(largest, bytes);
    }
    return largest;
}

}  // namespace

Memory memory_of(const Network& network, const Settings& settings, const Sizes& sizes,
                 const std::vector<std::vector<size_t>>& groups) {
    Memory memory;
    const ModelGraph& graph = network.graph();
    double parameters = 0;
    for (size_t i = 0; i < graph.tensors.size(); ++i) {
        const ModelTensor& tensor = graph.tensors[i];
        if (!tensor.parameter) continue;
        memory.weights += sizes.of(static_cast<TensorId>(i));
        if (is_float(tensor.type)) parameters += static_cast<double>(tensor.elements());
    }
    const Lifetimes lifetimes = walk(network, sizes, groups, inner_roots(network, groups));
    memory.activations = lifetimes.peak;
    memory.largest_working_set = lifetimes.largest;
    memory.all_activations = lifetimes.all;
    if (!settings.train) return memory;
    memory.gradients = memory.weights;
    const double states = settings.optimizer == Optimizer::kAdam       ? 2
                          : settings.optimizer == Optimizer::kMomentum ? 1
                                                                       : 0;
    const bool narrow = settings.precision && hardware::bits_of(*settings.precision) < 32;
    memory.optimizer = parameters * 4 * (states + (narrow ? 1 : 0));  // with a copy of the weights in FP32
    const double backward = kept_activations(network, sizes) + largest_gradients(network, sizes);
    memory.activations = std::max(memory.activations, backward);
    return memory;
}

}  // namespace opsight::cost
