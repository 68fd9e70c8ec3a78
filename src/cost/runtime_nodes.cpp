// Nodes of networks as runtimes ran them: ONNX Runtime's by their own type ("Conv", "CUDA::Conv"), layers of
// TensorRT and primitives of oneDNN by the op of ONNX that does the same. Their sources tell what came out
// and few attributes, so what counts here are ops whose work the sizes alone tell.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "cost/torch_rules.h"

namespace opsight::cost {
namespace {

// Ops of ONNX that need no attribute, those of ONNX Runtime's layouts included.
constexpr std::array<std::string_view, 87> kOwnTypes = {
    "Abs",
    "Add",
    "And",
    "ArgMax",
    "ArgMin",
    "BatchNormalization",
    "BiasGelu",
    "Cast",
    "Ceil",
    "Clip",
    "Concat",
    "Conv",
    "ConvInteger",
    "ConvTranspose",
    "Cos",
    "CumSum",
    "DepthToSpace",
    "DequantizeLinear",
    "Div",
    "DynamicQuantizeLinear",
    "Elu",
    "Equal",
    "Erf",
    "Exp",
    "Expand",
    "FastGelu",
    "Floor",
    "FusedConv",
    "FusedMatMul",
    "GRU",
    "Gather",
    "GatherElements",
    "Gelu",
    "Gemm",
    "GlobalAveragePool",
    "GlobalMaxPool",
    "Greater",
    "GreaterOrEqual",
    "GroupNormalization",
    "HardSigmoid",
    "HardSwish",
    "InstanceNormalization",
    "LSTM",
    "LayerNormalization",
    "LeakyRelu",
    "Less",
    "LessOrEqual",
    "Log",
    "LogSoftmax",
    "MatMul",
    "MatMulInteger",
    "Max",
    "Mean",
    "Min",
    "Mod",
    "Mul",
    "Neg",
    "Not",
    "Or",
    "PRelu",
    "Pad",
    "Pow",
    "QLinearConv",
    "QLinearMatMul",
    "QuantizeLinear",
    "QuickGelu",
    "RNN",
    "Reciprocal",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceSum",
    "Relu",
    "Round",
    "Sigmoid",
    "SimplifiedLayerNormalization",
    "Sin",
    "SkipLayerNormalization",
    "Slice",
    "Softmax",
    "Split",
    "Sqrt",
    "Sub",
    "Sum",
    "Tanh",
    "Transpose",
    "Where",
};
static_assert(std::is_sorted(kOwnTypes.begin(), kOwnTypes.end()));

// Inputs of which only as much is read as comes out.
bool reads_part(std::string_view op) {
    return op == "Slice" || op == "Split" || op == "Gather" || op == "GatherElements";
}

// Whether the first matrix of a product lies turned: its rows are not those of the result.
bool is_turned(const Shape& first, const Shape& result) {
    if (first.size() < 2 || result.size() < 2) return false;
    const int64_t rows = result[result.size() - 2];
    return first[first.size() - 2] != rows && first.back() == rows;
}

// What the rule's op of ONNX does, of the tensors that are told; a pooling's window is its second argument.
bool node(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    if (call.results.empty()) return false;
    OneOp op{std::string(rule.ops)};
    double read = 0, written = 0;
    const TorchTensor* first = nullptr;
    for (size_t i = 0; i < call.arguments.size(); ++i) {
        const TorchTensor* tensor = call.tensor(i);
        if (!tensor) continue;
        const bool part = !first && reads_part(rule.ops);
        if (!first) first = tensor;
        op.in(tensor->shape, tensor->type);
        if (!part) read += tensor->bytes();
    }
    if (!first) return false;
    for (const TorchTensor& result : call.results) {
        op.out(result.shape, result.type);
        written += result.bytes();
    }
    if (is_turned(first->shape, call.results[0].shape)) op.set("transA", int64_t{1});
    if (const auto window = call.integers(1)) op.set("kernel_shape", *window);
    const OpWork counted = op.work();
    if (counted.kind == WorkKind::kUncounted || counted.kind == WorkKind::kFree) return false;
    work.kind = counted.kind;
    work.macs = counted.macs;
    work.flops = counted.flops;
    work.matrix_flops = counted.matrix_flops;
    work.bytes = read + written + (reads_part(rule.ops) ? std::min(written, first->bytes()) : 0);
    work.type = first->type;
    return true;
}

// The same where the pooling's window is not told: then it is not counted.
bool pooling(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    return call.integers(1) && node(call, rule, work);
}

// oneDNN's inner product: each image and each output's weights as one row.
bool inner_product(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    if (!call.tensor(0) || !call.tensor(1)) return false;
    TorchCall rows = call;
    std::array<int64_t, 2> sizes = {};
    for (size_t i = 0; i < sizes.size(); ++i) {
        Shape& shape = rows.arguments[i].tensors[0].shape;
        if (shape.empty()) return false;
        sizes[i] = element_count({shape.begin() + 1, shape.end()}).value_or(-1);
        shape = {shape[0], sizes[i]};
    }
    return sizes[0] >= 0 && sizes[0] == sizes[1] && node(rows, rule, work);
}

using NodeRules = std::unordered_map<std::string_view, TorchRule>;

NodeRules rules_of_nodes() {
    NodeRules rules;
    for (const std::string_view type : kOwnTypes)
        rules[type] = {node, type};
    // A backward pass of oneDNN makes one gradient, of the size of the forward pass.
    for (const std::string_view name : {"onednn::convolution", "onednn::convolution_backward",
                                        "onednn_gpu::convolution", "onednn_gpu::convolution_backward"})
        rules[name] = {node, "Conv"};
    for (const std::string_view name : {"onednn::matmul", "onednn_gpu::matmul", "trt::matrix_multiply"})
        rules[name] = {node, "MatMul"};
    for (const std::string_view name : {"onednn::inner_product", "onednn::inner_product_backward",
                                        "onednn_gpu::inner_product", "onednn_gpu::inner_product_backward"})
        rules[name] = {inner_product, "Gemm"};
    for (const std::string_view name :
         {"ReorderInput", "ReorderOutput", "onednn::reorder", "onednn_gpu::reorder", "trt::reformat",
          "trt::shuffle", "trt::concatenation"})
        rules[name] = {node, "Transpose"};
    for (const std::string_view name : {"trt::max_pooling", "trt::average_pooling"})
        rules[name] = {pooling, name == "trt::max_pooling" ? "MaxPool" : "AveragePool"};
    rules["trt::quantize"] = {node, "QuantizeLinear"};
    rules["trt::dequantize"] = {node, "DequantizeLinear"};
    rules["trt::soft_max"] = {node, "Softmax"};
    rules["trt::slice"] = {node, "Slice"};
    return rules;
}

}  // namespace

const TorchRule* runtime_node_rule(std::string_view name) {
    static const NodeRules rules = rules_of_nodes();
    constexpr std::array<std::string_view, 7> kProviders = {
        "CUDA::", "ROCM::", "MIGraphX::", "Tensorrt::", "Dml::", "OpenVINO::", "Dnnl::"};
    for (const std::string_view provider : kProviders)
        if (name.starts_with(provider)) name.remove_prefix(provider.size());
    const auto found = rules.find(name);
    return found == rules.end() ? nullptr : &found->second;
}

}  // namespace opsight::cost
