// Attention and recurrent cells of PyTorch.
#pragma once

#include "cost/torch_rules.h"

namespace opsight::cost {

const TorchRule* torch_attention_rule(std::string_view name);

// "conv2d" of "aten::conv2d", "torch.nn.functional.conv2d" and "aten::conv2d_"; other namespaces stay.
std::string_view bare_torch_name(std::string_view name);

}  // namespace opsight::cost
