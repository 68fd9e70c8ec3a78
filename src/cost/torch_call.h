// One call of a PyTorch op as a profile describes it: shapes, types, strides and values of its arguments.
// Reads the texts that profiles keep (model/entities.h, Signature), which are JSON as Kineto writes it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/model_graph.h"

namespace opsight::cost {

struct TorchTensor {
    Shape shape;
    std::vector<int64_t> strides;  // empty: not told
    ElementType type = ElementType::kUnknown;

    double elements() const;
    // Elements that lie in memory: a dimension of stride 0 is the same memory over and over.
    double distinct() const;
    double bytes() const { return distinct() * static_cast<double>(bits_of(type)) / 8; }
};

struct TorchArgument {
    bool is_tensor = false, is_list = false;
    std::vector<TorchTensor> tensors;  // one, or those of a list as far as they are told
    std::string value;                 // of what is not a tensor: "[1, 1]", "True", "0.5"; empty: not told
};

// Output shapes of convolutions by the shapes of input and weight, from calls that told all three: old traces
// tell no stride. A pair that was seen with two outputs is not used.
using KnownOutputs = std::map<std::pair<Shape, Shape>, std::optional<Shape>>;

struct TorchCall {
    std::string_view name;  // as recorded: "aten::conv2d", "torch.nn.functional.conv2d"
    std::vector<TorchArgument> arguments;
    std::vector<TorchTensor> results;  // where the source tells what came out: nodes of other runtimes
    const KnownOutputs* known_outputs = nullptr;

    // Null where the argument is not a tensor.
    const TorchTensor* tensor(size_t index) const;
    const std::vector<TorchTensor>* list(size_t index) const;
    // Nothing where the value is not told or of another kind. One number stands for a list of that length.
    std::optional<std::vector<int64_t>> integers(size_t index, size_t length = 0) const;
    std::optional<std::vector<bool>> flags(size_t index) const;
    std::optional<int64_t> integer(size_t index) const;
    std::optional<bool> flag(size_t index) const;
};

// What a profile keeps of a call's arguments.
struct SignatureTexts {
    std::string_view shapes, dtypes, concrete, strides;
};
// Behind the arguments, values may tell results: "-> float[32, 64, 7, 7]".
// `list_type`: of tensors in lists, whose types are not told. Odd text yields fewer arguments, no error.
TorchCall read_torch_call(std::string_view name, const SignatureTexts& texts, ElementType list_type);

// "[[32, 64], []]": the shape of each argument, and of each tensor of one that is a list. Empty where an
// argument has none.
std::vector<Shape> read_shapes(std::string_view text);

// PyTorch's number of a type (c10::ScalarType), as arguments tell it; nothing for those that are not known.
std::optional<ElementType> torch_scalar_type(int64_t number);

// "c10::BFloat16", "long int", "float32"; kUnknown for what is not a tensor's type.
ElementType torch_type(std::string_view name);

}  // namespace opsight::cost
