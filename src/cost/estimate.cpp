#include "cost/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cost/traffic.h"

namespace opsight::cost {
namespace {

using hardware::Precision;

class Estimator {
  public:
    Estimator(const Network& network, const Settings& settings)
        : network_(network),
          graph_(network.graph()),
          settings_(settings),
          device_(settings.device),
          sizes_(network, settings),
          flow_(network, settings.fuse),
          groups_(fuse_nodes(network, flow_, settings.fuse)),
          traffic_(network, flow_, settings, sizes_, groups_) {}

    Estimate run() {
        out_.batch = settings_.batch > 0 ? settings_.batch : static_cast<double>(graph_.own_batch);
        counted_.assign(graph_.tensors.size(), 0);
        for (size_t g = 0; g < groups_.size(); ++g)
            add_layer(g);
        if (settings_.train) add_optimizer();
        for (const LayerCost& layer : out_.layers)
            add_to_total(layer);
        bound_network();
        out_.memory = memory_of(network_, flow_, settings_, sizes_, groups_);
        for (const auto& [op, count] : uncounted_)
            out_.uncounted.push_back(fmt::format("{} x {}", count, op));
        note_device();
        return std::move(out_);
    }

  private:
    double scale_of(const ModelNode& node) const {
        return (network_.is_batched(node) ? sizes_.batch_scale() : 1) * static_cast<double>(node.repeat);
    }

    // Of quantized operands the wider one's format, whatever the others are computed in.
    std::optional<Precision> quantized_precision(const ModelNode& node) const {
        std::optional<Precision> widest;
        for (size_t i = 0; i < 2; ++i) {
            const TensorId id = i < node.inputs.size() ? node.inputs[i] : kNoTensor;
            const ElementType type = id == kNoTensor ? ElementType::kUnknown : network_.quantized(id);
            if (type == ElementType::kUnknown) return std::nullopt;
            const Precision precision = precision_of_type(type);
            if (!widest || hardware::bits_of(precision) > hardware::bits_of(*widest)) widest = precision;
        }
        return widest;
    }

    Precision own_precision(const ModelNode& node) const {
        if (settings_.precision) return *settings_.precision;
        for (TensorId id : node.inputs) {
            if (id == kNoTensor) continue;
            const ElementType type = graph_.tensors[at(id)].type;
            const bool small = type == ElementType::kInt8 || type == ElementType::kUint8;
            if (is_float(type) || small) return precision_of_type(type);
        }
        return Precision::kFp32;
    }

    Precision precision_of(size_t n) const {
        const ModelNode& node = graph_.nodes[n];
        const bool product = network_.work(n).kind == WorkKind::kMatrix;
        if (product)
            if (const std::optional<Precision> quantized = quantized_precision(node)) return *quantized;
        const Precision own = own_precision(node);
        const bool has_tf32 =
            device_ && device_->peak(hardware::UnitKind::kMatrix, Precision::kTf32) != nullptr;
        return product && own == Precision::kFp32 && settings_.tf32 && has_tf32 ? Precision::kTf32 : own;
    }

    // Of a group the narrowest format of its products, else that of its first op.
    Precision precision_of(const Group& group) const {
        std::optional<Precision> found;
        for (size_t n : group.nodes) {
            if (network_.work(n).kind != WorkKind::kMatrix) continue;
            const Precision precision = precision_of(n);
            if (!found || hardware::bits_of(precision) < hardware::bits_of(*found)) found = precision;
        }
        return found ? *found : precision_of(group.nodes[0]);
    }

    void add_arithmetic(size_t n, LayerCost& layer) const {
        const ModelNode& node = graph_.nodes[n];
        const OpWork& work = network_.work(n);
        const double scale = scale_of(node);
        layer.forward.macs += work.macs * scale;
        layer.forward.flops += work.flops * scale;
        layer.forward.matrix_flops += work.matrix_flops * scale;
        layer.forward.saved_flops += 2 * work.saved_macs * scale;
        if (!settings_.train || !traffic_.has_gradient(node)) return;
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
        if (work.macs > 0) layer.backward.saved_flops += 2 * macs * scale * work.saved_macs / work.macs;
        layer.backward.flops += (2 * macs + rest) * scale;
    }

    bool shapes_known(const ModelNode& node) const {
        const auto known = [&](TensorId id) { return id == kNoTensor || graph_.tensors[at(id)].shape_known; };
        return std::all_of(node.inputs.begin(), node.inputs.end(), known) &&
               std::all_of(node.outputs.begin(), node.outputs.end(), known);
    }

    // A tensor of weights counts as the parameters of the first layer that reads it.
    void add_parameters(const ModelNode& node, LayerCost& layer) {
        for (TensorId id : node.inputs) {
            if (id == kNoTensor || !graph_.tensors[at(id)].parameter || counted_[at(id)]) continue;
            counted_[at(id)] = 1;
            // Several packed into each byte, whose number the op tells.
            const double packed =
                node.op_type == "MatMulNBits" && id == node.inputs[1]
                    ? static_cast<double>(node.integer("N", 0)) * static_cast<double>(node.integer("K", 0))
                    : 0;
            layer.parameters += packed > 0 ? packed : static_cast<double>(graph_.tensors[at(id)].elements());
        }
    }

    void set_bound(LayerCost& layer) {
        if (!device_) return;
        const bool sparse = settings_.sparse && layer.parameters + layer.weight_bytes > 0;
        const Bound forward = bound_of(layer.forward, *device_, layer.precision, sparse, settings_.derate);
        const Bound backward = bound_of(layer.backward, *device_, layer.precision, false, settings_.derate);
        layer.bound_s = forward.seconds + backward.seconds;
        layer.limiter = backward.seconds > forward.seconds ? backward.limiter : forward.limiter;
        matrix_s_ += forward.matrix_s + backward.matrix_s;
        vector_s_ += forward.vector_s + backward.vector_s;
        // Winograd runs on the ordinary units.
        const HighestPeak peak = product_peak(*device_, layer.precision, false);
        if (peak.rate > 0 && !peak.matrix)
            vector_s_ -=
                (layer.forward.saved_flops + layer.backward.saved_flops) / (peak.rate * settings_.derate);
    }

    void add_layer(size_t g) {
        LayerCost layer;
        const Group& group = groups_[g];
        layer.nodes = group.nodes;
        layer.nodes.insert(layer.nodes.end(), group.passing.begin(), group.passing.end());
        layer.name = graph_.nodes[group.nodes[0]].name;
        layer.precision = precision_of(group);
        layer.kind = WorkKind::kMove;
        for (size_t n : layer.nodes) {
            add_arithmetic(n, layer);
            add_parameters(graph_.nodes[n], layer);
            layer.bytes_known &= shapes_known(graph_.nodes[n]);
        }
        for (size_t n : group.nodes) {
            const OpWork& work = network_.work(n);
            layer.op_type += (layer.op_type.empty() ? "" : "+") + graph_.nodes[n].shown_type();
            if (work.kind == WorkKind::kUncounted) {
                ++uncounted_[graph_.nodes[n].shown_type()];
                layer.kind = WorkKind::kUncounted;
            } else if (work.kind == WorkKind::kMatrix ||
                       (work.kind == WorkKind::kVector && layer.kind == WorkKind::kMove)) {
                layer.kind = work.kind;
            }
        }
        const ModelNode& last = graph_.nodes[group.nodes.back()];
        if (const ModelTensor* output = last.outputs.empty() ? nullptr : graph_.tensor(last.outputs[0]);
            output && output->shape_known)
            layer.output_shape = shape_text(output->shape);
        const Traffic forward = traffic_.forward(g);
        layer.weight_bytes = forward.weights;
        layer.input_bytes = forward.inputs;
        layer.output_bytes = forward.outputs;
        layer.forward.bytes = forward.all();
        beyond_cache_ += forward.beyond_cache;
        if (settings_.train) {
            const Traffic backward = traffic_.backward(g);
            layer.backward.bytes = backward.all();
            beyond_cache_ += backward.beyond_cache;
        }
        set_bound(layer);
        out_.layers.push_back(std::move(layer));
    }

    void add_optimizer() {
        const OptimizerStep cost = optimizer_step(settings_.optimizer);
        constexpr double kBytes = 4;  // of each value
        double parameters = 0;
        for (const ModelTensor& tensor : graph_.tensors) {
            if (!tensor.parameter || !is_float(tensor.type)) continue;
            const auto elements = static_cast<double>(tensor.elements());
            parameters += elements;
            // A weight and its gradient may be in the cache since the layer's backward pass.
            beyond_cache_ += (cost.moved - 2) * kBytes * elements + 2 * traffic_.beyond(kBytes * elements);
        }
        LayerCost layer;
        layer.name = "optimizer";
        layer.op_type = settings_.optimizer == Optimizer::kAdam ? "Adam" : "SGD";
        layer.kind = WorkKind::kVector;
        layer.backward.flops = cost.flops * parameters;
        layer.backward.bytes = cost.moved * kBytes * parameters;
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
        total.bytes_known &= layer.bytes_known && layer.kind != WorkKind::kUncounted;
        total.weight_bytes += layer.weight_bytes;
        total.input_bytes += layer.input_bytes;
        total.output_bytes += layer.output_bytes;
        out_.serial_s += layer.bound_s;
    }

    // The network as a whole: matrix units, ordinary units and memory work side by side, on different layers
    // and elements of the batch, so the busiest of them sets the time. What a layer writes the next may find
    // in the last cache; and as many bytes of the weights, and of what is kept, as it holds may stay there:
    // in training each spares up to three ways, those of a weight in both passes and back from the optimizer.
    void bound_network() {
        if (!device_) return;
        const auto untold = std::count_if(out_.layers.begin(), out_.layers.end(), [](const LayerCost& layer) {
            return layer.flops() <= 0 && (layer.kind == WorkKind::kUncounted || !layer.bytes_known);
        });
        if (2 * untold > std::ssize(out_.layers)) {
            out_.notes.push_back(
                fmt::format("of {} of {} layers neither work nor bytes are known: what the network "
                            "takes is not either",
                            untold, out_.layers.size()));
            return;
        }
        const double ways = settings_.train ? 3 : 1;
        const double cached = std::min(ways * device_->cache_bytes(), beyond_cache_);
        const double bandwidth = device_->bandwidth * settings_.derate;
        const double memory_s = bandwidth > 0 ? (beyond_cache_ - cached) / bandwidth : 0;
        const double math_s = std::max(matrix_s_, vector_s_);
        out_.total.bound_s = std::max(math_s, memory_s);
        if (out_.total.bound_s > 0)
            out_.total.limiter = math_s > memory_s ? Limiter::kMath : Limiter::kMemory;
    }

    void note_products() {
        std::set<std::pair<Precision, Precision>> elsewhere;
        std::set<Precision> fp16_sums;
        bool default_tf32 = false;
        for (const LayerCost& layer : out_.layers) {
            if (layer.kind != WorkKind::kMatrix) continue;
            const Precision used = product_peak(*device_, layer.precision, settings_.sparse).precision;
            if (used != layer.precision) elsewhere.emplace(layer.precision, used);
            const hardware::Peak* peak = device_->peak(hardware::UnitKind::kMatrix, used);
            if (peak && peak->fp16_sums > peak->dense) fp16_sums.insert(used);
            default_tf32 |= layer.precision == Precision::kTf32 && settings_.precision != Precision::kTf32;
        }
        for (const auto& [wanted, used] : elsewhere) {
            const bool slower = device_->peak(hardware::UnitKind::kMatrix, wanted) ||
                                device_->peak(hardware::UnitKind::kVector, wanted);
            out_.notes.push_back(fmt::format("{} has no {}peak for products in {}; that of {} is taken",
                                             device_->name, slower ? "higher " : "", name_of(wanted),
                                             name_of(used)));
        }
        const bool thins = std::any_of(device_->peaks.begin(), device_->peaks.end(),
                                       [](const hardware::Peak& peak) { return peak.sparse > 0; });
        if (settings_.sparse && !thins)
            out_.notes.push_back(device_->name +
                                 " has no units for 2:4 sparsity: weights take fewer bytes, and no "
                                 "product is faster (a kernel that reads them so is up to the program)");
        if (default_tf32)
            out_.notes.push_back(
                "FP32 products are bounded by the TF32 peak, as TensorRT, TensorFlow and ONNX "
                "Runtime run them, and PyTorch its convolutions; --no-tf32 takes that of FP32");
        if (!fp16_sums.empty())
            out_.notes.push_back(device_->name +
                                 ": narrow products are bounded by the rate of adding them up in "
                                 "FP16, twice that of FP32");
    }

    // Figures of the device behind this bound that no source gives.
    void note_estimates() {
        std::set<std::string> figures;
        const auto add = [&](hardware::UnitKind unit, Precision precision) {
            const hardware::Peak* peak = device_->peak(unit, precision);
            if (peak && device_->is_estimate(*peak))
                figures.insert(fmt::format("the {} peak in {}",
                                           unit == hardware::UnitKind::kMatrix ? "matrix" : "vector",
                                           name_of(precision)));
        };
        for (const LayerCost& layer : out_.layers) {
            if (layer.kind == WorkKind::kMatrix) {
                const HighestPeak peak = product_peak(*device_, layer.precision, settings_.sparse);
                add(peak.matrix ? hardware::UnitKind::kMatrix : hardware::UnitKind::kVector, peak.precision);
            }
            if (layer.flops() > layer.forward.matrix_flops + layer.backward.matrix_flops)
                add(hardware::UnitKind::kVector, vector_peak(*device_, layer.precision).precision);
        }
        if (device_->bandwidth > 0 && device_->is_estimate("bandwidth_gbs")) figures.insert("the bandwidth");
        if (!figures.empty())
            out_.notes.push_back(fmt::format("{}: no source gives {}; they are estimates", device_->name,
                                             fmt::join(figures, ", ")));
    }

    void note_device() {
        if (!device_) return;
        note_products();
        note_estimates();
        if (const double memory = device_->memory_bytes; memory > 0 && out_.memory.peak() > memory) {
            constexpr double kGigabyte = 1e9;
            out_.notes.push_back(fmt::format(
                "does not fit: {}{:.1f} GB of memory with the ops in the file's order, {} has {:g}",
                out_.complete() ? "" : "at least ", out_.memory.peak() / kGigabyte, device_->name,
                memory / kGigabyte));
        }
        if (device_->bandwidth <= 0)
            out_.notes.push_back(device_->name + ": bandwidth is not known, memory bounds nothing");
    }

    const Network& network_;
    const ModelGraph& graph_;
    const Settings& settings_;
    const std::optional<hardware::Device>& device_;
    const Sizes sizes_;
    const Flow flow_;
    const std::vector<Group> groups_;
    const TrafficOf traffic_;
    std::vector<char> counted_;
    std::map<std::string, int> uncounted_;
    double matrix_s_ = 0, vector_s_ = 0, beyond_cache_ = 0;
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
