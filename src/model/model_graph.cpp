#include "model/model_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace opsight {
namespace {

struct TypeFacts {
    std::string_view name;
    int64_t bits;
    bool is_float;
};

constexpr std::array<TypeFacts, 21> kTypes = {
    {{"unknown", 32, false},   {"float64", 64, true}, {"float32", 32, true},  {"float16", 16, true},
     {"bfloat16", 16, true},   {"float8", 8, true},   {"float4", 4, true},    {"int64", 64, false},
     {"int32", 32, false},     {"int16", 16, false},  {"int8", 8, false},     {"int4", 4, false},
     {"uint64", 64, false},    {"uint32", 32, false}, {"uint16", 16, false},  {"uint8", 8, false},
     {"uint4", 4, false},      {"bool", 8, false},    {"string", 128, false}, {"complex64", 64, true},
     {"complex128", 128, true}}};

const TypeFacts& facts(ElementType type) {
    return kTypes[static_cast<size_t>(type)];
}

// What asks another tensor only for its size.
bool reads_size_only(std::string_view op) {
    return op == "Shape" || op == "Size" || op == "Rank";
}

// What makes a tensor as large as a value says.
bool makes_size_from_value(std::string_view op) {
    constexpr std::array<std::string_view, 14> kOps = {"Expand",
                                                       "ConstantOfShape",
                                                       "ConstantFill",
                                                       "Tile",
                                                       "RandomNormal",
                                                       "RandomUniform",
                                                       "Fill",
                                                       "BroadcastTo",
                                                       "Resize",
                                                       "Upsample",
                                                       "Zeros",
                                                       "Ones",
                                                       "TensorListReserve",
                                                       "RandomStandardNormal"};
    return std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

bool is_random(std::string_view op) {
    return op.starts_with("Random") || op == "Multinomial" || op == "Bernoulli" || op == "TruncatedNormal";
}

bool counts_as_parameter(const ModelTensor& tensor) {
    if (!tensor.constant || !tensor.shape_known) return false;
    const bool quantized = tensor.type == ElementType::kInt8 || tensor.type == ElementType::kUint8 ||
                           tensor.type == ElementType::kInt4 || tensor.type == ElementType::kUint4;
    return is_float(tensor.type) || quantized;
}

}  // namespace

int64_t bits_of(ElementType type) {
    return facts(type).bits;
}

std::string_view name_of(ElementType type) {
    return facts(type).name;
}

bool is_float(ElementType type) {
    return facts(type).is_float;
}

std::optional<int64_t> element_count(const Shape& shape) {
    int64_t count = 1;
    bool is_empty = false;
    for (int64_t size : shape) {
        is_empty |= size == 0;
        if (size == 0) continue;
        if (size < 0 || count > kMostElements / size) return std::nullopt;
        count *= size;
    }
    return is_empty ? 0 : count;
}

std::string shape_text(const Shape& shape) {
    return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

int64_t ModelTensor::elements() const {
    return shape_known ? element_count(shape).value_or(0) : 0;
}

int64_t ModelTensor::bytes() const {
    return (elements() * bits_of(type) + 7) / 8;
}

int64_t ModelNode::integer(std::string_view key, int64_t fallback) const {
    const auto found = attributes.find(key);
    if (found == attributes.end()) return fallback;
    const auto* value = std::get_if<int64_t>(&found->second);
    return value ? *value : fallback;
}

double ModelNode::real(std::string_view key, double fallback) const {
    const auto found = attributes.find(key);
    if (found == attributes.end()) return fallback;
    const auto* value = std::get_if<double>(&found->second);
    return value ? *value : fallback;
}

std::string ModelNode::text(std::string_view key, std::string_view fallback) const {
    const auto found = attributes.find(key);
    const auto* value = found == attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
    return value ? *value : std::string(fallback);
}

std::vector<int64_t> ModelNode::integers(std::string_view key) const {
    const auto found = attributes.find(key);
    const auto* value =
        found == attributes.end() ? nullptr : std::get_if<std::vector<int64_t>>(&found->second);
    return value ? *value : std::vector<int64_t>();
}

namespace {

// Constants that say how an op reads others, or what it measured: no parameters, though they are stored.
bool is_learned(const ModelNode& node, size_t input) {
    if (node.op_type == "BatchNormalization") return input < 3;  // mean and variance follow
    if (node.op_type == "QuantizeLinear" || node.op_type == "DequantizeLinear") return input == 0;
    if (node.op_type == "MatMulNBits") return input == 1 || input == 5;  // scales, zero points, groups; bias
    if (node.op_type.starts_with("QLinear")) return input == 0 || input == 3 || input == 8;
    return true;
}

}  // namespace

void mark_graph(ModelGraph& graph) {
    std::vector<char> from_size(graph.tensors.size(), 0);  // its value tells of a batched tensor's size
    const auto at = [&](TensorId id) -> ModelTensor& { return graph.tensors[static_cast<size_t>(id)]; };
    for (TensorId id : graph.inputs)
        at(id).batched = at(id).shape_known && !at(id).shape.empty();
    for (ModelNode& node : graph.nodes) {
        // A loop's state is another one in each turn, wherever it began. What XLA broadcasts is no tensor in
        // memory, but read where it came from.
        bool constant = !is_random(node.op_type) && node.op_type != "DequantizeLinear" &&
                        node.op_type != "LoopState" && node.op_type != "Broadcast";
        bool batched = false, sized = false;
        for (TensorId id : node.inputs) {
            if (id == kNoTensor) continue;
            constant &= at(id).constant;
            batched |= at(id).batched;
            sized |= from_size[static_cast<size_t>(id)] != 0;
        }
        const bool size_only = reads_size_only(node.op_type);
        node.folded = constant;
        for (TensorId id : node.outputs) {
            if (id == kNoTensor) continue;
            at(id).constant |= constant;
            at(id).batched |= !size_only && (batched || (sized && makes_size_from_value(node.op_type)));
            from_size[static_cast<size_t>(id)] = (size_only && batched) || (sized && !at(id).batched);
        }
    }
    for (const ModelNode& node : graph.nodes)
        for (size_t i = 0; i < node.inputs.size(); ++i) {
            const TensorId id = node.inputs[i];
            if (!node.folded && id != kNoTensor && is_learned(node, i) && counts_as_parameter(at(id)) &&
                at(id).elements() > 1)
                at(id).parameter = true;
        }
}

}  // namespace opsight
