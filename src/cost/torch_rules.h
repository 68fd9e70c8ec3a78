// What the rules of torch_work share.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cost/torch_work.h"

namespace opsight::cost {

// Places of arguments; kNowhere: the op has no such argument.
inline constexpr int kNowhere = -1;

struct TorchRule {
    bool (*apply)(const TorchCall&, const TorchRule&, TorchWork&) = nullptr;
    // What a network would have there: "Sqrt Reciprocal"; "~Gelu": the backward pass of one.
    std::string_view ops = {};
    int inputs = 1;  // leading arguments that are read
    enum class Output : uint8_t { kSame, kBool, kNone } output = Output::kSame;
    const void* facts = nullptr;  // of rules of products
};

// Null where there is none. Names are without "aten::", backward passes of old traces included.
const TorchRule* torch_product_rule(std::string_view name);
const TorchRule* torch_plain_rule(std::string_view name);
// Of kernels that a compiler made for several ops.
const TorchRule* torch_fused_rule(std::string_view name);
// Of ops that others add to PyTorch, by their whole names.
const TorchRule* torch_serving_rule(std::string_view name);
// Of nodes that runtimes of networks ran, by their whole names.
const TorchRule* runtime_node_rule(std::string_view name);

struct TorchElementwise {
    std::string_view name, ops;
    int inputs = 1;
    TorchRule::Output output = TorchRule::Output::kSame;
};
std::span<const TorchElementwise> torch_elementwise();

// A network of one op.
class OneOp {
  public:
    explicit OneOp(std::string op_type) { node_.op_type = std::move(op_type); }
    OneOp& in(const Shape& shape, ElementType type) {
        node_.inputs.push_back(add(shape, type));
        return *this;
    }
    OneOp& no_input() {
        node_.inputs.push_back(kNoTensor);
        return *this;
    }
    OneOp& out(const Shape& shape, ElementType type) {
        node_.outputs.push_back(add(shape, type));
        return *this;
    }
    OneOp& set(const std::string& key, Attribute value) {
        node_.attributes[key] = std::move(value);
        return *this;
    }
    OpWork work() const { return op_work(graph_, node_); }

  private:
    TensorId add(const Shape& shape, ElementType type);
    ModelGraph graph_;
    ModelNode node_;
};

// FLOPs of a rule's ops, each over this input and output; "~Gelu" is the backward pass of Gelu.
double flops_of(std::string_view ops, const Shape& in, const Shape& out, ElementType type);
// Work without products.
bool finish(TorchWork& work, double flops, double bytes, ElementType type);

inline double bytes_of(const Shape& shape, ElementType type) {
    return static_cast<double>(element_count(shape).value_or(0)) * static_cast<double>(bits_of(type)) / 8;
}

inline void assume(TorchWork& work, std::string_view note) {
    work.evidence = Evidence::kEstimate;
    work.note = note;
}

}  // namespace opsight::cost
