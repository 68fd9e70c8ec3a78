#include "cost/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

namespace opsight::cost {
namespace {

using hardware::Precision;

size_t at(TensorId id) {
    return static_cast<size_t>(id);
}

class Estimator {
  public:
    Estimator(const Network& network, const Settings& settings)
        : network_(network),
          graph_(network.graph()),
          settings_(settings),
          sizes_(network, settings),
          groups_(fuse_nodes(network, settings.fuse)) {}

    Estimate run() {
        out_.batch = settings_.batch > 0 ? settings_.batch : static_cast<double>(graph_.own_batch);
        counted_.assign(graph_.tensors.size(), 0);
        group_of_.assign(graph_.nodes.size(), SIZE_MAX);
        for (size_t g = 0; g < groups_.size(); ++g)
            for (size_t n : groups_[g])
                group_of_[n] = g;
        for (size_t g = 0; g < groups_.size(); ++g)
            add_layer(g);
        if (settings_.train) add_optimizer();
        for (const LayerCost& layer : out_.layers)
            add_to_total(layer);
        out_.memory = memory_of(network_, settings_, sizes_, groups_);
        for (const auto& [op, count] : uncounted_)
            out_.uncounted.push_back(fmt::format("{} x {}", count, op));
        note_formats();
        return std::move(out_);
    }

  private:
    double scale_of(const ModelNode& node) const {
        return (network_.is_batched(node) ? sizes_.batch_scale() : 1) * static_cast<double>(node.repeat);
    }

    Precision precision_of(const ModelNode& node) const {
        if (settings_.precision) return *settings_.precision;
        for (TensorId id : node.inputs) {
            if (id == kNoTensor) continue;
            const ElementType type = graph_.tensors[at(id)].type;
            const bool small = type == ElementType::kInt8 || type == ElementType::kUint8;
            if (is_float(type) || small) return precision_of_type(type);
        }
        return Precision::kFp32;
    }

    bool has_gradient(const ModelNode& node) const {
        return std::any_of(node.inputs.begin(), node.inputs.end(),
                           [&](TensorId id) { return id != kNoTensor && network_.needs_gradient(id); });
    }

    void add_arithmetic(size_t n, LayerCost& layer) const {
        const ModelNode& node = graph_.nodes[n];
        const OpWork& work = network_.work(n);
        const double scale = scale_of(node);
        layer.forward.macs += work.macs * scale;
        layer.forward.flops += work.flops * scale;
        layer.forward.matrix_flops += work.matrix_flops * scale;
        if (!settings_.train || !has_gradient(node)) return;
        // A product passes a gradient on to each operand that needs one, by a product of the same size each.
        double macs = 0;
        if (work.macs > 0)
            for (size_t i = 0; i < std::min<size_t>(2, node.inputs.size()); ++i) {
                const bool needed = node.inputs[i] != kNoTensor && network_.needs_gradient(node.inputs[i]);
                macs += needed ? work.macs : i == 0 ? work.state_macs : 0;
            }
        const double rest = (work.flops - 2 * work.macs) * (work.macs > 0 ? 0.5 : work.backward_rest);
        layer.backward.macs += macs * scale;
        layer.backward.matrix_flops += 2 * macs * scale;
        layer.backward.flops += (2 * macs + rest) * scale;
    }

    // A tensor of weights counts as the parameters of the first layer that reads it.
    void add_parameters(TensorId id, LayerCost& layer) {
        const ModelTensor& tensor = graph_.tensors[at(id)];
        if (!tensor.parameter || counted_[at(id)]) return;
        counted_[at(id)] = 1;
        layer.parameters += static_cast<double>(tensor.elements());
    }

    // What must be written where others can read it: leaves the group, or is kept for the backward pass.
    bool leaves(TensorId id, size_t group) const {
        if (network_.is_output(id) || groups_[group].size() == 1) return true;
        const std::vector<size_t>& readers = network_.readers(id);
        if (readers.empty()) return true;
        for (size_t reader : readers) {
            if (group_of_[reader] != group) return true;
            if (settings_.train && network_.work(reader).saves_inputs) return true;
        }
        return false;
    }

    void add_bytes(size_t g, LayerCost& layer) {
        std::unordered_set<TensorId> seen, made;
        for (size_t n : groups_[g])
            for (TensorId id : graph_.nodes[n].outputs)
                if (id != kNoTensor) made.insert(id);
        for (size_t n : groups_[g]) {
            const ModelNode& node = graph_.nodes[n];
            const double repeat = static_cast<double>(node.repeat);
            double outputs = 0;
            for (TensorId id : node.outputs) {
                if (id == kNoTensor || !leaves(id, g) || !seen.insert(id).second) continue;
                outputs += sizes_.of(id) * repeat;
            }
            layer.output_bytes += outputs;
            for (size_t i = 0; i < node.inputs.size(); ++i) {
                const TensorId id = node.inputs[i];
                if (id == kNoTensor) continue;
                add_parameters(id, layer);
                const TensorId root = network_.root(id);
                if (made.contains(root) || !seen.insert(root).second) continue;
                const bool constant = graph_.tensors[at(id)].constant;
                double bytes = sizes_.of(root) * (constant ? 1 : repeat);
                if (i == 0 && network_.work(n).partial_first_input) bytes = std::min(bytes, outputs);
                (constant ? layer.weight_bytes : layer.input_bytes) += bytes;
            }
        }
        layer.forward.bytes = layer.input_bytes + layer.weight_bytes + layer.output_bytes;
    }

    // Gradients of outputs are read, those of inputs written, and what was kept is read again.
    void add_backward_bytes(size_t g, LayerCost& layer) const {
        for (size_t n : groups_[g]) {
            const ModelNode& node = graph_.nodes[n];
            const OpWork& work = network_.work(n);
            if (!has_gradient(node)) continue;
            const double repeat = static_cast<double>(node.repeat);
            double kept = 0, inner = 0, parameters = 0, outputs = 0;
            for (TensorId id : node.inputs) {
                if (id == kNoTensor) continue;
                const ModelTensor& tensor = graph_.tensors[at(id)];
                if (work.saves_inputs) kept += sizes_.of(id);
                if (!network_.needs_gradient(id)) continue;
                (tensor.parameter ? parameters : inner) += sizes_.of(id);
            }
            for (TensorId id : node.outputs) {
                if (id == kNoTensor) continue;
                outputs += sizes_.of(id);
                if (work.saves_output) kept += sizes_.of(id);
            }
            // The gradient of a sum is that of its terms: nothing moves, but for a term that is a weight.
            const bool passes = work.kind == WorkKind::kVector && work.backward_rest == 0;
            if (passes && parameters == 0) continue;
            const double moved = passes ? outputs + parameters : kept + outputs + inner + parameters;
            layer.backward.bytes += moved * repeat;
        }
    }

    void set_bound(LayerCost& layer) const {
        if (!settings_.device) return;
        const bool sparse = settings_.sparse && layer.parameters + layer.weight_bytes > 0;
        const Bound forward =
            bound_of(layer.forward, *settings_.device, layer.precision, sparse, settings_.derate);
        const Bound backward =
            bound_of(layer.backward, *settings_.device, layer.precision, false, settings_.derate);
        layer.bound_s = forward.seconds + backward.seconds;
        layer.limiter = backward.seconds > forward.seconds ? backward.limiter : forward.limiter;
    }

    void add_layer(size_t g) {
        LayerCost layer;
        const ModelNode& first = graph_.nodes[groups_[g][0]];
        layer.nodes = groups_[g];
        layer.name = first.name;
        layer.precision = precision_of(first);
        layer.kind = WorkKind::kMove;
        for (size_t n : groups_[g]) {
            const OpWork& work = network_.work(n);
            layer.op_type += (layer.op_type.empty() ? "" : "+") + graph_.nodes[n].shown_type();
            if (work.kind == WorkKind::kUncounted) {
                ++uncounted_[graph_.nodes[n].shown_type()];
                layer.kind = WorkKind::kUncounted;
            } else if (work.kind == WorkKind::kMatrix ||
                       (work.kind == WorkKind::kVector && layer.kind == WorkKind::kMove)) {
                layer.kind = work.kind;
            }
            add_arithmetic(n, layer);
        }
        const ModelNode& last = graph_.nodes[groups_[g].back()];
        if (const ModelTensor* output = last.outputs.empty() ? nullptr : graph_.tensor(last.outputs[0]);
            output && output->shape_known)
            layer.output_shape = shape_text(output->shape);
        add_bytes(g, layer);
        if (settings_.train) add_backward_bytes(g, layer);
        set_bound(layer);
        out_.layers.push_back(std::move(layer));
    }

    void add_optimizer() {
        const OptimizerStep cost = optimizer_step(settings_.optimizer);
        double parameters = 0;
        for (const ModelTensor& tensor : graph_.tensors)
            if (tensor.parameter && is_float(tensor.type))
                parameters += static_cast<double>(tensor.elements());
        LayerCost layer;
        layer.name = "optimizer";
        layer.op_type = settings_.optimizer == Optimizer::kAdam ? "Adam" : "SGD";
        layer.kind = WorkKind::kVector;
        layer.backward.flops = cost.flops * parameters;
        layer.backward.bytes = cost.moved * 4 * parameters;
        set_bound(layer);
        out_.layers.push_back(std::move(layer));
    }

    static void add_work(Work& to, const Work& from) {
        to.macs += from.macs;
        to.flops += from.flops;
        to.matrix_flops += from.matrix_flops;
        to.bytes += from.bytes;
    }

    void add_to_total(const LayerCost& layer) {
        LayerCost& total = out_.total;
        add_work(total.forward, layer.forward);
        add_work(total.backward, layer.backward);
        total.parameters += layer.parameters;
        total.weight_bytes += layer.weight_bytes;
        total.input_bytes += layer.input_bytes;
        total.output_bytes += layer.output_bytes;
        total.bound_s += layer.bound_s;
        if (layer.limiter == Limiter::kMath) math_s_ += layer.bound_s;
        total.limiter = total.bound_s <= 0            ? Limiter::kNone
                        : math_s_ * 2 > total.bound_s ? Limiter::kMath
                                                      : Limiter::kMemory;
    }

    void note_formats() {
        if (!settings_.device) return;
        std::map<std::string, std::string> replaced;
        for (const LayerCost& layer : out_.layers) {
            if (layer.kind != WorkKind::kMatrix) continue;
            Precision used = layer.precision;
            matrix_peak(*settings_.device, layer.precision, settings_.sparse, used);
            if (used != layer.precision) replaced[std::string(name_of(layer.precision))] = name_of(used);
        }
        for (const auto& [wanted, used] : replaced)
            out_.notes.push_back(fmt::format("{} has no peak for products in {}; that of {} is taken",
                                             settings_.device->name, wanted, used));
        if (settings_.device->bandwidth <= 0)
            out_.notes.push_back(settings_.device->name + ": bandwidth is not known, memory bounds nothing");
    }

    const Network& network_;
    const ModelGraph& graph_;
    const Settings& settings_;
    const Sizes sizes_;
    const std::vector<std::vector<size_t>> groups_;
    std::vector<size_t> group_of_;
    std::vector<char> counted_;
    std::map<std::string, int> uncounted_;
    double math_s_ = 0;
    Estimate out_;
};

}  // namespace

OptimizerStep optimizer_step(Optimizer optimizer) {
    if (optimizer == Optimizer::kAdam) return {12, 7};
    return optimizer == Optimizer::kMomentum ? OptimizerStep{4, 5} : OptimizerStep{2, 3};
}

Estimate Network::estimate(const Settings& settings) const {
    return Estimator(*this, settings).run();
}

}  // namespace opsight::cost
