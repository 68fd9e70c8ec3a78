// Which framework ops can run on Tensor Cores, by name.
#pragma once

#include <string_view>

namespace opsight::hardware {

// Matrix multiply, convolution, RNN and attention ops of PyTorch and their backward nodes. Whether the device
// has Tensor Cores and the dtype suits them is the caller's question.
bool is_tensor_core_op(std::string_view op_name);

}  // namespace opsight::hardware
