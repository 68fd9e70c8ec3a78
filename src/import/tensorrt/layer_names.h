// What a layer of an engine was in the network: TensorRT fuses its ops, and names the result after them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/tensorrt/documents.h"

namespace opsight::importer::tensorrt {

// The ops that a layer is made of: of "conv.weight + QuantizeLinear_8 + Conv_12 + PWN(Clip_16)" these four
// without what TensorRT wrote around them. Where the layer has metadata, the nodes of the ONNX file.
std::vector<std::string> origins_of(const Layer& layer);

// "trt::convolution", "trt::max_pooling", "trt::reformat"; "trt::layer" where nothing tells.
std::string op_name(const Layer& layer);

// "[[32, 3, 224, 224], [64, 3, 7, 7], [64]]": inputs, and the weights and bias of convolutions.
std::string shapes_of(const Layer& layer);
std::string types_of(const Layer& layer);
// Stride, padding and so on of convolutions in PyTorch's order, then the rest in words.
std::string arguments_of(const Layer& layer, const std::vector<std::string>& origins);

}  // namespace opsight::importer::tensorrt
