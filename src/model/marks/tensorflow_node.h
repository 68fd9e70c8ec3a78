// Nodes of TensorFlow as NVIDIA's builds write them into NVTX ranges where they are asked for details
// (TF_ENABLE_NVTX_RANGES_DETAILED, as under DLProf): {"op":"MatMul","name":"model/dense/MatMul",
// "args":[{"name":"x","shape":[32,64]}],"attrs":{"T":"float32","transpose_b":false}}.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opsight::marks {

struct TensorFlowNode {
    std::string op, name;  // "MatMul"; with its scopes
    std::string dtype;     // of its inputs (T), else of what it makes (dtype); empty: not told
    std::vector<std::vector<int64_t>> shapes;  // of its inputs; -1: a size that is not told
    std::string shapes_json;                   // the same as written; empty: none
    bool transpose_a = false, transpose_b = false;
};

// No value: the text is something else.
std::optional<TensorFlowNode> parse_tensorflow_node(std::string_view text);

}  // namespace opsight::marks
