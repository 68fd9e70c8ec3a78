// Which framework ops can run on Tensor Cores, by name.
#pragma once

#include <string_view>

namespace opsight::hardware {

// Matrix multiply, convolution, RNN and attention ops of PyTorch and their backward nodes, of libraries that
// add to it, and layers of TensorRT. Whether the device
// has Tensor Cores and the dtype suits them is the caller's question.
bool is_tensor_core_op(std::string_view op_name);

// The same of node types of TensorFlow ("Conv2D", "MatMul") and ONNX ("Conv"). Source of the former:
// IsOpTensorCoreEligible of xprof.
bool is_tensor_core_node_type(std::string_view type);

// Whether matrix units take inputs of a dtype as frameworks write it, or could take what they would be cast
// to (TF32, FP16 and BF16 for FP32). `fp64`: the units take doubles too. What is not known is taken to suit.
bool is_tensor_core_dtype(std::string_view dtype, bool fp64);

}  // namespace opsight::hardware
