// What the name of a host span says about it. The table is worked out once per distinct name.
#pragma once

#include <string_view>
#include <vector>

#include "model/profile.h"

namespace opsight::analyze {

enum class NameClass : uint8_t {
    kUnseen,
    kPlain,
    kBackward,        // "AddmmBackward0", "autograd::engine::evaluate_function: ...", "aten::relu_backward"
    kGradientScope,   // "gradients/dense/MatMul_grad/MatMul" of TensorFlow, whose threads work in any
                      // direction
    kOptimizerScope,  // "ApplyAdam", "train/Adam/update_dense/kernel/ApplyAdam" of TensorFlow, alike
    kRecompute,       // "CheckpointFunctionBackward": runs forward ops again
    kOptimizerStep,   // "Optimizer.step#SGD.step"
    kOptimizer,       // "Optimizer.zero_grad#SGD.zero_grad"
    kDataLoad,        // "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
    kStepMarker,      // "ProfilerStep#5"
    kCudnnBenchmark,  // calls that search for a convolution algorithm
    kGraphCapture,    // "cudaStreamBeginCapture", "hipGraphInstantiate"
    kCompilation,     // just-in-time compilation
};

NameClass classify_name(std::string_view name);

// TensorFlow 1 puts what it differentiates into the scope "gradients" (the second time "gradients_1"),
// TensorFlow 2 into "gradient_tape".
bool in_gradient_scope(std::string_view name);

// The types of TensorFlow's ops that update a variable by its gradient, and the scopes that its optimizers
// (and Keras') have by default. What they keep for a variable is named after it: "dense/kernel/Adam_1".
bool in_optimizer_scope(std::string_view name);

// "aten::conv2d" -> "conv2d", "autograd::engine::evaluate_function: AddmmBackward0" -> "AddmmBackward0",
// "Optimizer.step#SGD.step" -> "Optimizer.step", "triton_poi_fused_add_3" -> "triton_poi_fused_add", of XLA
// "loop_add_fusion.3" -> "loop_add_fusion".
std::string_view op_type_of(std::string_view name);

class NameTable {
  public:
    explicit NameTable(const StringPool& strings) : strings_(strings) {}
    NameClass operator[](StringId name) {
        if (name.index() >= classes_.size()) classes_.resize(strings_.size(), NameClass::kUnseen);
        NameClass& known = classes_[name.index()];
        if (known == NameClass::kUnseen) known = classify_name(strings_.view(name));
        return known;
    }

  private:
    const StringPool& strings_;
    std::vector<NameClass> classes_;
};

}  // namespace opsight::analyze
