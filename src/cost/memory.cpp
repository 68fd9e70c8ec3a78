// Peak memory: weights stay, activations live from the op that makes them to the last that reads them, and
// their memory is used again. In training those that the backward pass reads stay until then.
#include <algorithm>

#include "cost/estimate.h"

namespace opsight::cost {
namespace {

// Where the activations of some tensors lie, each once.
std::vector<TensorId> activations(const Network& network, const Flow& flow,
                                  const std::vector<TensorId>& ids) {
    std::vector<TensorId> found;
    for (TensorId id : ids) {
        if (id == kNoTensor) continue;
        for (TensorId source : flow.sources(id))
            if (!network.graph().tensors[at(source)].constant &&
                std::find(found.begin(), found.end(), source) == found.end())
                found.push_back(source);
    }
    return found;
}

// Tensors that never leave a fused group.
std::vector<char> inner_tensors(const Network& network, const Flow& flow, const std::vector<Group>& groups) {
    std::vector<char> inner(network.graph().tensors.size(), 0);
    std::vector<size_t> group_of(network.graph().nodes.size(), SIZE_MAX);
    for (size_t g = 0; g < groups.size(); ++g)
        for (size_t n : groups[g].nodes)
            group_of[n] = g;
    for (size_t g = 0; g < groups.size(); ++g)
        for (size_t n : groups[g].nodes)
            for (TensorId id : network.graph().nodes[n].outputs) {
                if (id == kNoTensor || flow.is_output(id)) continue;
                const std::vector<size_t>& readers = flow.readers(id);
                inner[at(id)] = groups[g].nodes.size() > 1 && !readers.empty() &&
                                std::all_of(readers.begin(), readers.end(),
                                            [&](size_t reader) { return group_of[reader] == g; });
            }
    return inner;
}

struct Lifetimes {
    double peak = 0, largest = 0, all = 0;
};

Lifetimes walk(const Network& network, const Flow& flow, const Sizes& sizes, const std::vector<Group>& groups,
               const std::vector<char>& inner) {
    const ModelGraph& graph = network.graph();
    std::vector<int64_t> reads_left(graph.tensors.size(), 0);
    for (size_t i = 0; i < graph.tensors.size(); ++i)
        reads_left[i] = static_cast<int64_t>(flow.readers(static_cast<TensorId>(i)).size());
    Lifetimes out;
    double live = 0;
    for (TensorId id : graph.inputs) {
        live += sizes.of(id);
        out.all += sizes.of(id);
    }
    out.peak = live;
    for (const Group& group : groups)
        for (size_t n : group.nodes) {
            double working = 0, made = 0;
            for (TensorId source : activations(network, flow, graph.nodes[n].outputs))
                if (!inner[at(source)]) made += sizes.of(source);
            for (TensorId source : activations(network, flow, graph.nodes[n].inputs))
                if (!inner[at(source)]) working += sizes.of(source);
            live += made;
            out.all += made;
            out.peak = std::max(out.peak, live);
            out.largest = std::max(out.largest, working + made);
            const auto drop = [&](TensorId id) {
                if (!graph.tensors[at(id)].constant && !flow.is_output(id) && !inner[at(id)])
                    live -= sizes.of(id);
            };
            for (TensorId id : graph.nodes[n].inputs)
                if (id != kNoTensor)
                    for (TensorId source : flow.sources(id))
                        if (--reads_left[at(source)] == 0) drop(source);
            for (TensorId id : graph.nodes[n].outputs)  // made and never read
                if (id != kNoTensor && flow.readers(id).empty()) drop(id);
        }
    return out;
}

// What the forward pass keeps for the backward pass. Inner tensors of fused attention are made again.
double kept_activations(const Network& network, const Flow& flow, const Sizes& sizes,
                        const std::vector<Group>& groups, const std::vector<char>& inner) {
    const ModelGraph& graph = network.graph();
    std::vector<char> kept(graph.tensors.size(), 0);
    for (const Group& group : groups)
        for (size_t n : group.nodes) {
            const OpWork& work = network.work(n);
            const ModelNode& node = graph.nodes[n];
            const auto needs = [&](TensorId id) { return id != kNoTensor && network.needs_gradient(id); };
            if (std::none_of(node.inputs.begin(), node.inputs.end(), needs)) continue;
            const auto keep = [&](const std::vector<TensorId>& ids) {
                for (TensorId source : activations(network, flow, ids))
                    kept[at(source)] |= !(group.attention && inner[at(source)]);
            };
            if (work.saves_inputs) keep(node.inputs);
            if (work.saves_output) keep(node.outputs);
        }
    double bytes = 0;
    for (size_t i = 0; i < kept.size(); ++i)
        if (kept[i]) bytes += sizes.of(static_cast<TensorId>(i));
    return bytes;
}

// Most that the gradients of one op's output and inputs take together.
double largest_gradients(const Network& network, const Flow& flow, const Sizes& sizes,
                         const std::vector<Group>& groups, const std::vector<char>& inner) {
    double largest = 0;
    for (const Group& group : groups)
        for (size_t n : group.nodes) {
            double bytes = 0;
            for (const auto* ids : {&network.graph().nodes[n].inputs, &network.graph().nodes[n].outputs})
                for (TensorId source : activations(network, flow, *ids))
                    if (network.needs_gradient(source) && !inner[at(source)]) bytes += sizes.of(source);
            largest = std::max(largest, bytes);
        }
    return largest;
}

// Constants that ops read when the network runs.
std::vector<TensorId> stored_constants(const ModelGraph& graph) {
    std::vector<char> seen(graph.tensors.size(), 0);
    std::vector<TensorId> found;
    for (const ModelNode& node : graph.nodes)
        for (TensorId id : node.inputs) {
            if (node.folded || id == kNoTensor || seen[at(id)]) continue;
            seen[at(id)] = 1;
            const ModelTensor& tensor = graph.tensors[at(id)];
            const bool number = is_float(tensor.type) || bits_of(tensor.type) <= 8;
            if (tensor.constant && number && tensor.elements() > 1) found.push_back(id);
        }
    return found;
}

}  // namespace

Memory memory_of(const Network& network, const Flow& flow, const Settings& settings, const Sizes& sizes,
                 const std::vector<Group>& groups) {
    Memory memory;
    const ModelGraph& graph = network.graph();
    double parameters = 0, learned = 0;
    for (const TensorId id : stored_constants(graph)) {
        const ModelTensor& tensor = graph.tensors[at(id)];
        memory.weights += sizes.of(id);
        if (!tensor.parameter || !is_float(tensor.type)) continue;
        parameters += static_cast<double>(tensor.elements());
        learned += sizes.of(id);
    }
    const std::vector<char> inner = inner_tensors(network, flow, groups);
    const Lifetimes lifetimes = walk(network, flow, sizes, groups, inner);
    memory.activations = lifetimes.peak;
    memory.largest_working_set = lifetimes.largest;
    memory.all_activations = lifetimes.all;
    if (!settings.train) return memory;
    memory.gradients = learned;
    const double states = settings.optimizer == Optimizer::kAdam       ? 2
                          : settings.optimizer == Optimizer::kMomentum ? 1
                                                                       : 0;
    const bool narrow = settings.precision && hardware::bits_of(*settings.precision) < 32;
    memory.optimizer = parameters * 4 * (states + (narrow ? 1 : 0));  // with a copy of the weights in FP32
    const double backward = kept_activations(network, flow, sizes, groups, inner) +
                            largest_gradients(network, flow, sizes, groups, inner);
    memory.activations = std::max(memory.activations, backward);
    return memory;
}

}  // namespace opsight::cost
