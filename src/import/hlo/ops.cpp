// What the cost model calls XLA's ops.
#include <simdjson.h>
#include <algorithm>
#include <unordered_map>

#include "import/hlo/builder.h"

namespace opsight::importer::hlo {
namespace {

using hlo_file::Instruction;

// Ops that do the same under another name.
const std::unordered_map<std::string_view, std::string_view> kSame = {{"add", "Add"},
                                                                      {"subtract", "Sub"},
                                                                      {"multiply", "Mul"},
                                                                      {"divide", "Div"},
                                                                      {"power", "Pow"},
                                                                      {"remainder", "Mod"},
                                                                      {"maximum", "Max"},
                                                                      {"minimum", "Min"},
                                                                      {"and", "And"},
                                                                      {"or", "Or"},
                                                                      {"xor", "Xor"},
                                                                      {"not", "Not"},
                                                                      {"negate", "Neg"},
                                                                      {"abs", "Abs"},
                                                                      {"sign", "Sign"},
                                                                      {"exponential", "Exp"},
                                                                      {"log", "Log"},
                                                                      {"exponential-minus-one", "Exp"},
                                                                      {"log-plus-one", "Log"},
                                                                      {"sqrt", "Sqrt"},
                                                                      {"rsqrt", "Rsqrt"},
                                                                      {"cbrt", "Sqrt"},
                                                                      {"tanh", "Tanh"},
                                                                      {"logistic", "Sigmoid"},
                                                                      {"sine", "Sin"},
                                                                      {"cosine", "Cos"},
                                                                      {"floor", "Floor"},
                                                                      {"ceil", "Ceil"},
                                                                      {"erf", "Erf"},
                                                                      {"round-nearest-afz", "Round"},
                                                                      {"is-finite", "IsInf"},
                                                                      {"round-nearest-even", "Round"},
                                                                      {"select", "Where"},
                                                                      {"compare", "Less"},
                                                                      {"clamp", "Clip"},
                                                                      {"convert", "Cast"},
                                                                      {"reshape", "Reshape"},
                                                                      {"bitcast", "Reshape"},
                                                                      {"transpose", "Transpose"},
                                                                      {"copy", "Transpose"},
                                                                      {"broadcast", "Broadcast"},
                                                                      {"concatenate", "Concat"},
                                                                      {"pad", "Pad"},
                                                                      {"reverse", "Transpose"},
                                                                      {"slice", "Slice"},
                                                                      {"dynamic-slice", "DynamicSlice"},
                                                                      {"gather", "Gather"},
                                                                      {"scatter", "ScatterND"},
                                                                      {"iota", "Range"},
                                                                      {"rng", "RandomUniform"},
                                                                      {"copy-start", "Transpose"},
                                                                      {"dynamic-update-slice", "ScatterND"},
                                                                      {"shift-left", "And"},
                                                                      {"shift-right-logical", "And"},
                                                                      {"shift-right-arithmetic", "And"}};

std::vector<int64_t> list(const google::protobuf::RepeatedField<int64_t>& from) {
    return {from.begin(), from.end()};
}

// "ab,bc->ac" for the axes of two operands; empty where there are more than letters.
std::string equation(size_t left, size_t right, const std::vector<int64_t>& left_summed,
                     const std::vector<int64_t>& right_summed, const std::vector<int64_t>& left_batch,
                     const std::vector<int64_t>& right_batch) {
    if (left + right > 26 || left_summed.size() != right_summed.size() ||
        left_batch.size() != right_batch.size())
        return {};
    std::string a, b(right, ' '), out;
    for (size_t i = 0; i < left; ++i)
        a += static_cast<char>('a' + i);
    const auto pair = [&](const std::vector<int64_t>& x, const std::vector<int64_t>& y) {
        for (size_t i = 0; i < x.size(); ++i) {
            if (x[i] < 0 || y[i] < 0 || x[i] >= static_cast<int64_t>(left) ||
                y[i] >= static_cast<int64_t>(right))
                return false;
            b[static_cast<size_t>(y[i])] = a[static_cast<size_t>(x[i])];
        }
        return true;
    };
    if (!pair(left_summed, right_summed) || !pair(left_batch, right_batch)) return {};
    for (size_t i = 0; i < right; ++i)
        if (b[i] == ' ') b[i] = static_cast<char>('a' + left + i);
    const auto is_summed = [&](char c) {
        return std::any_of(left_summed.begin(), left_summed.end(),
                           [&](int64_t axis) { return a[static_cast<size_t>(axis)] == c; });
    };
    for (const int64_t axis : left_batch)
        out += a[static_cast<size_t>(axis)];
    for (const std::string& side : {a, b})
        for (const char c : side)
            if (!is_summed(c) && out.find(c) == out.npos) out += c;
    return a + "," + b + "->" + out;
}

const ModelTensor* operand(const ModelGraph& graph, const ModelNode& node, size_t index) {
    return index < node.inputs.size() ? graph.tensor(node.inputs[index]) : nullptr;
}

// A product of the first two operands; what else is read (a bias, what is added to) stays an input.
void set_product(const std::string& text, const ModelGraph& graph, ModelNode& node) {
    if (text.empty() || !operand(graph, node, 1)) return;
    node.op_type = "Einsum";
    node.attributes["equation"] = text;
    node.inputs.resize(2);
    node.outputs.resize(std::min<size_t>(1, node.outputs.size()));
}

void describe_dot(const Instruction& from, const ModelGraph& graph, ModelNode& node) {
    const ModelTensor *left = operand(graph, node, 0), *right = operand(graph, node, 1);
    if (!left || !right) return;
    const hlo_file::DotDimensions& d = from.dot_dimensions();
    set_product(equation(left->shape.size(), right->shape.size(), list(d.lhs_contracting()),
                         list(d.rhs_contracting()), list(d.lhs_batch()), list(d.rhs_batch())),
                graph, node);
}

// Of cuBLAS' calls the axes stand in JSON.
void describe_gemm(const Instruction& from, const ModelGraph& graph, ModelNode& node) {
    const ModelTensor *left = operand(graph, node, 0), *right = operand(graph, node, 1);
    simdjson::dom::parser parser;
    simdjson::dom::element config;
    if (!left || !right || parser.parse(from.backend_config()).get(config) != simdjson::SUCCESS) return;
    simdjson::dom::element inner = config;
    if (simdjson::dom::element found; config["gemm_backend_config"].get(found) == simdjson::SUCCESS)
        inner = found;
    const auto axes = [&](const char* key) {
        std::vector<int64_t> out;
        simdjson::dom::array values;
        if (inner["dot_dimension_numbers"][key].get(values) != simdjson::SUCCESS) return out;
        for (const simdjson::dom::element value : values) {
            std::string_view text;
            int64_t number = -1;
            if (value.get(text) == simdjson::SUCCESS && text.size() == 1)
                number = text[0] - '0';
            else if (value.get(number) != simdjson::SUCCESS)
                number = -1;
            out.push_back(number);
        }
        return out;
    };
    set_product(equation(left->shape.size(), right->shape.size(), axes("lhs_contracting_dimensions"),
                         axes("rhs_contracting_dimensions"), axes("lhs_batch_dimensions"),
                         axes("rhs_batch_dimensions")),
                graph, node);
}

int64_t size_of(const ModelTensor& tensor, int64_t axis) {
    return axis >= 0 && axis < static_cast<int64_t>(tensor.shape.size())
               ? tensor.shape[static_cast<size_t>(axis)]
               : 0;
}

// Forward and both gradients are one op in HLO; where the input is spread with zeros between (base dilation)
// it is the gradient of the data, whose products with those zeros nobody computes.
void describe_convolution(const Instruction& from, const ModelGraph& graph, ModelNode& node) {
    const ModelTensor* kernel = operand(graph, node, 1);
    if (!kernel || node.outputs.empty()) return;
    const hlo_file::ConvolutionDimensions& d = from.convolution_dimensions();
    node.inputs.resize(2);
    node.outputs.resize(1);
    std::vector<int64_t> strides, dilations;
    bool spread = false;
    for (const hlo_file::WindowDimension& each : from.window().dimensions()) {
        strides.push_back(std::max<int64_t>(1, each.stride()));
        dilations.push_back(std::max<int64_t>(1, each.window_dilation()));
        spread |= each.base_dilation() > 1;
    }
    if (spread) {
        node.op_type = "ConvTranspose";
        node.attributes["input_channels"] =
            size_of(*kernel, d.kernel_input_feature()) * std::max<int64_t>(1, from.feature_group_count());
        return;
    }
    node.op_type = "Conv";
    node.attributes["strides"] = strides;
    node.attributes["dilations"] = dilations;
    node.attributes["output_channels"] = size_of(*kernel, d.kernel_output_feature());
}

void describe_call(const Instruction& from, const ModelGraph& graph, ModelNode& node) {
    const std::string& target = from.custom_call_target();
    node.own_type = node.op_type = target.empty() ? "custom-call" : target;
    const auto has = [&](std::string_view part) { return target.find(part) != target.npos; };
    if (has("gemm") || has("cublas") || has("matmul")) return describe_gemm(from, graph, node);
    const bool has_axes = from.convolution_dimensions().input_spatial_size() > 0;
    if (!has("onv") || !has_axes || node.outputs.empty()) return;
    if (has("BackwardFilter")) {
        // (x, dy) -> dw: the output stands for the kernel.
        node.op_type = "ConvFilterGradient";
        node.inputs.resize(std::min<size_t>(2, node.inputs.size()));
        node.outputs.resize(1);
        if (const ModelTensor* gradient = graph.tensor(node.outputs[0]))
            node.attributes["output_channels"] =
                size_of(*gradient, from.convolution_dimensions().kernel_output_feature());
        return;
    }
    if (has("BackwardInput")) {
        const ModelTensor* kernel = operand(graph, node, 1);
        if (!kernel) return;
        node.op_type = "ConvTranspose";
        node.inputs.resize(2);
        node.outputs.resize(1);
        // What is put in is the gradient of the output: its channels are the kernel's outputs.
        node.attributes["input_channels"] =
            size_of(*kernel, from.convolution_dimensions().kernel_output_feature());
        return;
    }
    describe_convolution(from, graph, node);
}

}  // namespace

void describe_op(const Instruction& from, const std::string& reduced_by, const ModelGraph& graph,
                 ModelNode& node) {
    node.op_type = node.own_type = from.opcode();
    const std::string& op = from.opcode();
    if (const auto same = kSame.find(op); same != kSame.end()) {
        node.op_type = same->second;
    } else if (op == "dot") {
        describe_dot(from, graph, node);
    } else if (op == "convolution") {
        describe_convolution(from, graph, node);
    } else if (op == "custom-call") {
        describe_call(from, graph, node);
    } else if (op == "reduce") {
        node.op_type = reduced_by == "maximum"   ? "ReduceMax"
                       : reduced_by == "minimum" ? "ReduceMin"
                                                 : "ReduceSum";
    } else if (op == "reduce-window") {
        node.op_type = reduced_by == "maximum" ? "MaxPool" : "AveragePool";
        std::vector<int64_t> window;
        for (const hlo_file::WindowDimension& each : from.window().dimensions())
            window.push_back(each.size());
        node.attributes["kernel_shape"] = window;
    } else if (op.starts_with("batch-norm") && op != "batch-norm-grad") {
        node.op_type = "BatchNormalization";
        node.outputs.resize(std::min<size_t>(1, node.outputs.size()));
    }
    if (node.own_type == node.op_type) node.own_type.clear();
}

}  // namespace opsight::importer::hlo
