// The work of PyTorch ops from their recorded arguments. Each op is turned into the op of a network that does
// the same (op_work.h), so that a formula stands in one place; docs/COST-MODEL.md has the tables.
#pragma once

#include <string_view>

#include "cost/op_work.h"
#include "cost/torch_call.h"

namespace opsight::cost {

// How a number is known.
enum class Evidence : uint8_t {
    kShapes,    // from the call's own arguments
    kEstimate,  // something was not told and taken from elsewhere in the profile, or assumed
};

struct TorchWork {
    WorkKind kind = WorkKind::kUncounted;
    double macs = 0, flops = 0, matrix_flops = 0;
    double recomputed_flops = 0;  // the part of `matrix_flops` that computes again what was not kept
    double bytes = 0;             // compulsory
    ElementType type = ElementType::kFloat32;  // that products or elements are computed in
    bool data_and_weights = false;  // two products of one size: gradients of the data and of the weights
    Evidence evidence = Evidence::kShapes;
    std::string_view note;  // what was assumed

    bool counted() const { return kind != WorkKind::kUncounted; }
};

// kUncounted where the op is not known or its arguments do not tell.
TorchWork torch_work(const TorchCall& call);

// Which of the gradients of a convolution an op or a kernel of this name makes.
enum class TorchGradient : uint8_t { kUnspecified, kData, kWeights };
TorchGradient torch_gradient(std::string_view name);

// Adds what a call of a convolution's backward pass tells of the forward pass.
void learn_outputs(const TorchCall& call, KnownOutputs& known);

// Whether there is a formula for an op of this name at all; spares reading the arguments of others.
bool has_torch_rule(std::string_view name);

// Whether an op of this name adds, copies or the like, and multiplies no matrices.
bool is_plain_torch_op(std::string_view name);

}  // namespace opsight::cost
