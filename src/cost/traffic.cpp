#include "cost/traffic.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace opsight::cost {

// What is read of each source: as much as the tensors hold that are read through it, once each.
struct TrafficOf::Reads {
    std::unordered_set<TensorId> seen;
    std::map<TensorId, double> bytes;

    void add(const Flow& flow, const Sizes& sizes, TensorId id, double most, auto is_own) {
        if (!seen.insert(id).second) return;
        double left = std::min(most, sizes.of(id));
        for (TensorId source : flow.sources(id)) {
            if (is_own(source)) continue;
            const double size = sizes.of(source);
            double& read = bytes[source];
            const double more = std::min({left, size, size - read});
            read += more;
            left -= std::min(left, size);
        }
    }
};

TrafficOf::TrafficOf(const Network& network, const Flow& flow, const Settings& settings, const Sizes& sizes,
                     const std::vector<Group>& groups)
    : network_(network),
      graph_(network.graph()),
      flow_(flow),
      sizes_(sizes),
      groups_(groups),
      train_(settings.train) {
    group_of_.assign(graph_.nodes.size(), SIZE_MAX);
    for (size_t g = 0; g < groups.size(); ++g)
        for (size_t n : groups[g].nodes)
            group_of_[n] = g;
    if (settings.device) cache_ = settings.device->cache_bytes();
    read_first_in_.assign(graph_.tensors.size(), SIZE_MAX);
    kept_for_.assign(graph_.tensors.size(), SIZE_MAX);
    for (size_t g = 0; g < groups.size(); ++g)
        find_first_reads(g);
}

void TrafficOf::find_first_reads(size_t group) {
    const auto take = [group](size_t& first) {
        if (first == SIZE_MAX) first = group;
    };
    for (size_t n : groups_[group].nodes)
        for (TensorId id : graph_.nodes[n].inputs)
            if (id != kNoTensor)
                for (TensorId source : flow_.sources(id))
                    take(read_first_in_[at(source)]);
    if (!train_) return;
    for (TensorId source : kept_by(group))
        take(kept_for_[at(source)]);
}

std::unordered_set<TensorId> TrafficOf::made_in(size_t group) const {
    std::unordered_set<TensorId> made;
    for (size_t n : groups_[group].nodes)
        for (TensorId id : graph_.nodes[n].outputs)
            if (id != kNoTensor) made.insert(id);
    return made;
}

// What the backward pass of the group reads again of the forward pass.
std::unordered_set<TensorId> TrafficOf::kept_by(size_t group) const {
    const std::unordered_set<TensorId> made = made_in(group);
    std::unordered_set<TensorId> kept;
    const auto keep = [&](TensorId id) {
        if (id == kNoTensor) return;
        for (TensorId source : flow_.sources(id))
            if (!(groups_[group].attention && made.contains(source))) kept.insert(source);
    };
    for (size_t n : groups_[group].nodes) {
        const ModelNode& node = graph_.nodes[n];
        const OpWork& work = network_.work(n);
        if (!has_gradient(node)) continue;
        if (work.saves_output) std::for_each(node.outputs.begin(), node.outputs.end(), keep);
        if (work.saves_inputs) std::for_each(node.inputs.begin(), node.inputs.end(), keep);
    }
    return kept;
}

bool TrafficOf::has_gradient(const ModelNode& node) const {
    return std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](TensorId id) { return id != kNoTensor && network_.needs_gradient(id); });
}

// For the backward pass, by an op that reads it.
bool TrafficOf::is_kept(TensorId id) const {
    if (!train_) return false;
    const std::vector<size_t>& readers = flow_.readers(id);
    return std::any_of(readers.begin(), readers.end(),
                       [&](size_t reader) { return network_.work(reader).saves_inputs; });
}

// What must be written where others can read it.
bool TrafficOf::leaves(TensorId id, size_t group) const {
    if (flow_.is_output(id) || groups_[group].nodes.size() == 1) return true;
    const std::vector<size_t>& readers = flow_.readers(id);
    if (readers.empty()) return true;
    if (std::any_of(readers.begin(), readers.end(),
                    [&](size_t reader) { return group_of_[reader] != group; }))
        return true;
    return is_kept(id) && !groups_[group].attention;
}

Traffic TrafficOf::forward(size_t group) const {
    Traffic traffic;
    Reads reads;
    const std::unordered_set<TensorId> made = made_in(group);
    std::unordered_set<TensorId> written;
    const double repeat = static_cast<double>(graph_.nodes[groups_[group].nodes[0]].repeat);
    for (size_t n : groups_[group].nodes) {
        const ModelNode& node = graph_.nodes[n];
        double outputs = 0;
        for (TensorId id : node.outputs) {
            if (id == kNoTensor || !leaves(id, group) || !written.insert(id).second) continue;
            const double bytes = sizes_.of(id) * repeat;
            outputs += bytes;
            traffic.beyond_cache += is_kept(id) ? bytes : beyond(bytes);
        }
        traffic.outputs += outputs;
        for (size_t i = 0; i < node.inputs.size(); ++i) {
            if (node.inputs[i] == kNoTensor) continue;
            const bool part = i == 0 && network_.work(n).partial_first_input;
            double most = part ? outputs / repeat : sizes_.of(node.inputs[i]);
            const ModelTensor& tensor = graph_.tensors[at(node.inputs[i])];
            if (tensor.constant && tensor.shape.size() >= 3) most *= network_.work(n).weights_part;
            reads.add(flow_, sizes_, node.inputs[i], most,
                      [&](TensorId source) { return made.contains(source); });
        }
    }
    for (const auto& [source, read] : reads.bytes) {
        const bool constant = graph_.tensors[at(source)].constant;
        const double bytes = read * (constant ? 1 : repeat);
        (constant ? traffic.weights : traffic.inputs) += bytes;
        // Weights that an earlier layer read, too, may still be in the cache.
        const bool new_weights = constant && read_first_in_[at(source)] == group;
        traffic.beyond_cache += new_weights ? bytes : beyond(bytes);
    }
    return traffic;
}

Traffic TrafficOf::backward(size_t group) const {
    Traffic traffic;
    const std::unordered_set<TensorId> made = made_in(group);
    std::unordered_set<TensorId> gradients;
    bool passes_on = true;  // the gradient of a sum is that of its terms: nothing moves
    double parameters = 0, inner = 0, outputs = 0, again = 0, again_beyond = 0;
    for (TensorId source : kept_by(group)) {
        const double bytes = sizes_.of(source);
        again += bytes;
        again_beyond += kept_for_[at(source)] == group ? bytes : beyond(bytes);
    }
    for (size_t n : groups_[group].nodes) {
        const ModelNode& node = graph_.nodes[n];
        const OpWork& work = network_.work(n);
        if (!has_gradient(node)) continue;
        const bool passes = work.kind == WorkKind::kVector && work.backward_rest == 0;
        passes_on &= passes;
        double leaving = 0;
        for (TensorId id : node.outputs) {
            if (id == kNoTensor) continue;
            if (leaves(id, group)) leaving += sizes_.of(id);
        }
        outputs += leaving;
        for (size_t i = 0; i < node.inputs.size(); ++i) {
            const TensorId id = node.inputs[i];
            if (id == kNoTensor) continue;
            for (TensorId source : flow_.sources(id)) {
                if (!network_.needs_gradient(source) || made.contains(source)) continue;
                if (!gradients.insert(source).second) continue;
                // Of a table only the rows that were read.
                const bool part = i == 0 && work.partial_first_input;
                const double bytes = part ? std::min(sizes_.of(source), leaving) : sizes_.of(source);
                if (graph_.tensors[at(source)].parameter)
                    parameters += bytes;
                else if (!passes)
                    inner += bytes;
            }
        }
    }
    if (passes_on && parameters == 0) return traffic;
    const double repeat = static_cast<double>(graph_.nodes[groups_[group].nodes[0]].repeat);
    traffic.weights = parameters * repeat;
    traffic.inputs = (again + outputs) * repeat;
    traffic.outputs = inner * repeat;
    // The optimizer may take a layer's gradients as soon as they are there.
    traffic.beyond_cache = (beyond(parameters) + again_beyond + beyond(outputs) + beyond(inner)) * repeat;
    return traffic;
}

}  // namespace opsight::cost
