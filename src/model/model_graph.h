// ModelGraph: a network as a file describes it: tensors with their shapes, and ops in an order in which they
// can run. Importers build it; sizes are whole numbers, since open dimensions are bound when a file is read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace opsight {

enum class ElementType : uint8_t {
    kUnknown,
    kFloat64,
    kFloat32,
    kFloat16,
    kBfloat16,
    kFloat8,
    kFloat4,
    kInt64,
    kInt32,
    kInt16,
    kInt8,
    kInt4,
    kUint64,
    kUint32,
    kUint16,
    kUint8,
    kUint4,
    kBool,
    kString,
    kComplex64,
    kComplex128,
};
int64_t bits_of(ElementType type);
std::string_view name_of(ElementType type);
bool is_float(ElementType type);

using Shape = std::vector<int64_t>;
using TensorId = int32_t;
inline constexpr TensorId kNoTensor = -1;
constexpr size_t at(TensorId id) {
    return static_cast<size_t>(id);
}

// Largest number of elements that a tensor may have; what would be larger is refused when it is read.
inline constexpr int64_t kMostElements = int64_t{1} << 48;

// Product of the sizes, or nothing where a size is negative or those above 0 make more than kMostElements.
std::optional<int64_t> element_count(const Shape& shape);
// "1x3x224x224"; "scalar" for rank 0.
std::string shape_text(const Shape& shape);

struct ModelTensor {
    std::string name;
    ElementType type = ElementType::kFloat32;
    Shape shape;
    bool shape_known = false;
    bool constant = false;   // the same in every run: a weight, or made from weights alone
    bool batched = false;    // its size grows with the batch
    bool parameter = false;  // a constant that an op reads, of a type that can be learned or quantized
    // The elements of a small tensor that shapes may depend on; they count only where has_value.
    bool has_value = false;
    std::vector<double> value;

    int64_t elements() const;  // 0 where the shape is not known
    int64_t bytes() const;     // as stored: 4-bit types take half a byte
};

using Attribute = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>>;

struct ModelNode {
    std::string name, op_type, domain;
    std::string own_type;                   // as its file names it, where that is another name than op_type
    std::vector<TensorId> inputs, outputs;  // kNoTensor: an optional one that is not there
    std::map<std::string, Attribute, std::less<>> attributes;
    int64_t repeat = 1;   // runs of a loop's body
    bool folded = false;  // depends on constants alone: done once, before any run

    const std::string& shown_type() const { return own_type.empty() ? op_type : own_type; }
    int64_t integer(std::string_view key, int64_t fallback) const;
    double real(std::string_view key, double fallback) const;
    std::string text(std::string_view key, std::string_view fallback) const;
    // Empty where the attribute is missing.
    std::vector<int64_t> integers(std::string_view key) const;
};

struct ModelGraph {
    std::string name, format, producer;  // format: "ONNX, opset 17"
    int64_t own_batch = 1;               // the first size of the inputs as they are in the tensors here
    std::vector<ModelTensor> tensors;
    std::vector<ModelNode> nodes;  // in an order in which they can run
    std::vector<TensorId> inputs, outputs;
    std::vector<std::string> notes;  // what was assumed, a sentence each

    const ModelTensor* tensor(TensorId id) const {
        return id < 0 ? nullptr : &tensors[static_cast<size_t>(id)];
    }
};

// Sets `parameter`, `batched` and `folded` of a graph whose tensors and nodes are complete.
void mark_graph(ModelGraph& graph);

}  // namespace opsight
