// What the name of a layer tells: what it does, where its op's type does not tell, and its name without a
// number.
#pragma once

#include <string>
#include <string_view>

#include "query/compare/work_tree.h"

namespace opsight::query {

// Without descriptions of its layers an engine of TensorRT has ops of two types, "trt::layer" and
// "trt::reformat": only the names of layers tell a convolution from a pooling. `shapes`: both sides recorded
// them, and so what their layers are.
bool known_by_layer(const TreeOp& op, bool shapes);

// "Linear" of "Linear_12", "layers" of "layers.12".
std::string_view without_number(std::string_view name);

// " conv" of "Conv_0 + Relu_1", "fused Conv_9" and "Conv2D__6": of what is fused the first that is more than
// a weight or its quantization, without numbers. Of a copy, whose path is a sentence, all of it: "
// reformatting copynode for input tensor to conv".
std::string layer_words(const TreeLayer& layer);

}  // namespace opsight::query
