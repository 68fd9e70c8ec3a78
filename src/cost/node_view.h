// What the rules of op_work see of a node.
#pragma once

#include "cost/op_work.h"

namespace opsight::cost {

class NodeView {
  public:
    NodeView(const ModelGraph& graph, const ModelNode& node) : graph_(graph), node_(node) {}
    const ModelNode& node() const { return node_; }
    // Null where it is missing.
    const ModelTensor* in(size_t index) const {
        return index < node_.inputs.size() ? graph_.tensor(node_.inputs[index]) : nullptr;
    }
    const ModelTensor* out(size_t index) const {
        return index < node_.outputs.size() ? graph_.tensor(node_.outputs[index]) : nullptr;
    }
    double in_elements(size_t index) const {
        return in(index) ? static_cast<double>(in(index)->elements()) : 0;
    }
    double out_elements(size_t index) const {
        return out(index) ? static_cast<double>(out(index)->elements()) : 0;
    }
    // The shape of an input where it is known and has this rank at least; null otherwise.
    const Shape* shape(size_t index, size_t rank = 0) const {
        const ModelTensor* tensor = in(index);
        return tensor && tensor->shape_known && tensor->shape.size() >= rank ? &tensor->shape : nullptr;
    }

  private:
    const ModelGraph& graph_;
    const ModelNode& node_;
};

// False where shapes do not tell.
using WorkRule = bool (*)(const NodeView&, OpWork&);
// A bias starts the sums of the products, in the same units; `other_flops` are those of the ordinary units.
inline bool set_product(OpWork& work, double macs, double bias_flops, double other_flops = 0) {
    work.kind = WorkKind::kMatrix;
    work.macs = macs;
    work.matrix_flops = 2 * macs + bias_flops;
    work.flops = work.matrix_flops + other_flops;
    return true;
}

// Products: convolutions, matrix products, recurrent cells, attention. Null where the op is none.
WorkRule product_rule(std::string_view op);
// The part of them that is in cost/attention.cpp.
WorkRule attention_rule(std::string_view op);
// All else.
WorkRule plain_rule(std::string_view op);

}  // namespace opsight::cost
