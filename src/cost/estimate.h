// What a network must cost on a device at least: work, bytes, bounds and memory of every layer and in total.
// Nothing here is measured; docs/COST-MODEL.md says what is assumed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cost/fusion.h"
#include "cost/op_work.h"
#include "hardware/devices.h"

namespace opsight::cost {

enum class Optimizer : uint8_t { kSgd, kMomentum, kAdam };
// For each parameter: FLOPs, and values read and written.
struct OptimizerStep {
    double flops = 0, moved = 0;
};
OptimizerStep optimizer_step(Optimizer optimizer);

struct Settings {
    std::optional<hardware::Device> device;        // none: work and bytes without bounds
    std::optional<hardware::Precision> precision;  // none: the types of the file
    double batch = 0;                              // 0: that of the file
    bool train = false;                            // forward, backward and optimizer
    Optimizer optimizer = Optimizer::kAdam;
    bool fuse = true;     // what kernels can do in one go: see fusion.h
    bool tf32 = true;     // FP32 products in TF32 where the device has it, as most libraries do
    bool sparse = false;  // weights with 2:4 structured sparsity
    double derate = 1;    // of every peak
};

enum class Limiter : uint8_t { kNone, kMath, kMemory };
std::string_view name_of(Limiter limiter);

struct Work {
    double macs = 0, flops = 0, matrix_flops = 0;
    double bytes = 0;        // compulsory: each tensor that goes in or comes out once
    double saved_flops = 0;  // that products can do without, by Winograd
};

struct LayerCost {
    std::string name, op_type;  // of a fused layer: of its first op, and "Conv+Relu"
    std::string output_shape;
    WorkKind kind = WorkKind::kFree;
    std::vector<size_t> nodes;
    Work forward, backward;
    double parameters = 0, weight_bytes = 0;
    double input_bytes = 0, output_bytes = 0;  // of activations, forward
    double bound_s = 0;                        // with a device, of this layer alone
    Limiter limiter = Limiter::kNone;
    bool bytes_known = true;  // false: of tensors of unknown shape nothing is counted
    hardware::Precision precision = hardware::Precision::kFp32;

    double macs() const { return forward.macs + backward.macs; }
    double flops() const { return forward.flops + backward.flops; }
    double bytes() const { return forward.bytes + backward.bytes; }
    double intensity() const { return bytes() > 0 ? flops() / bytes() : 0; }
};

struct Memory {
    double weights = 0, gradients = 0, optimizer = 0;
    double activations =
        0;  // most that live at once; in training those kept for the backward pass and its own
    double largest_working_set = 0, all_activations = 0;
    double peak() const { return weights + gradients + optimizer + activations; }
};

struct Estimate {
    std::vector<LayerCost> layers;
    LayerCost total;      // sums; kind and nodes are not set. Its bound is that of the network
    double serial_s = 0;  // the layers' bounds one after another
    Memory memory;
    double batch = 1;
    std::vector<std::string> uncounted;  // "3 x TopK"
    std::vector<std::string> notes;

    // Everything is counted. Else FLOPs, bytes, memory and bounds are at least those, throughput at most
    // that.
    bool complete() const { return uncounted.empty() && total.bytes_known; }
    double intensity() const { return total.intensity(); }
    double throughput() const { return total.bound_s > 0 ? batch / total.bound_s : 0; }  // samples per second
};

// The network prepared once, for estimates under many settings. The graph must outlive it.
class Network {
  public:
    explicit Network(const ModelGraph& graph);
    Estimate estimate(const Settings& settings) const;

    const ModelGraph& graph() const { return graph_; }
    const OpWork& work(size_t node) const { return works_[node]; }
    // The type of the quantized values that a tensor stands for; kUnknown where it is not quantized.
    ElementType quantized(TensorId id) const { return quantized_[static_cast<size_t>(id)]; }
    bool needs_gradient(TensorId id) const { return gradients_[static_cast<size_t>(id)] != 0; }
    bool is_batched(const ModelNode& node) const;

  private:
    const ModelGraph& graph_;
    std::vector<OpWork> works_;
    std::vector<ElementType> quantized_;
    std::vector<char> gradients_;
};

// Sizes in bytes under settings.
class Sizes {
  public:
    Sizes(const Network& network, const Settings& settings);
    double of(TensorId id) const;
    double batch_scale() const { return scale_; }

  private:
    const ModelGraph& graph_;
    std::optional<hardware::Precision> precision_;
    bool sparse_;
    double scale_;
};

Memory memory_of(const Network& network, const Flow& flow, const Settings& settings, const Sizes& sizes,
                 const std::vector<Group>& groups);

// Time that a device needs for this work at least, and what sets it.
struct Bound {
    double seconds = 0;
    Limiter limiter = Limiter::kNone;
    double math_s = 0, memory_s = 0;    // its two terms
    double matrix_s = 0, vector_s = 0;  // of the math: by the matrix units, and by the ordinary ones
    hardware::Precision products_in = hardware::Precision::kFp32;  // the format whose peak bounds products
};
Bound bound_of(const Work& work, const hardware::Device& device, hardware::Precision precision, bool sparse,
               double derate);
// The format whose peak holds for a type; FP32 for what has none of its own.
hardware::Precision precision_of_type(ElementType type);
// The highest peak that a format can be computed at: its own or that of a wider one that holds it.
struct HighestPeak {
    double rate = 0;
    hardware::Precision precision = hardware::Precision::kFp32;  // the format that has it
    bool matrix = false;                                         // of the matrix units
};
// Of products: by matrix units or by the ordinary ones, added up in whichever way is faster.
HighestPeak product_peak(const hardware::Device& device, hardware::Precision precision, bool sparse);
// Of everything else, on the ordinary units.
HighestPeak vector_peak(const hardware::Device& device, hardware::Precision precision);

}  // namespace opsight::cost
