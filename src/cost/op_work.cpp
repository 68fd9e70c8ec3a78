#include "cost/op_work.h"

#include <algorithm>

#include "cost/node_view.h"

namespace opsight::cost {
namespace {

// What convolutions count by: their output (transposed: input) and their weights.
bool product_known(const NodeView& view) {
    const std::string_view op = view.node().op_type;
    const bool conv = op == "Conv" || op == "FusedConv" || op == "ConvInteger";
    const ModelTensor* places = conv ? view.out(0) : op == "ConvTranspose" ? view.in(0) : nullptr;
    return places && places->shape_known && view.in(1) && view.in(1)->shape_known;
}

bool shapes_known(const NodeView& view) {
    for (size_t i = 0; i < view.node().inputs.size(); ++i)
        if (const ModelTensor* tensor = view.in(i); tensor && !tensor->shape_known) return false;
    for (size_t i = 0; i < view.node().outputs.size(); ++i)
        if (const ModelTensor* tensor = view.out(i); tensor && !tensor->shape_known) return false;
    return true;
}

// Arithmetic on shapes: its results were known without running the network.
bool is_shape_arithmetic(const NodeView& view) {
    if (view.node().outputs.empty()) return false;
    for (size_t i = 0; i < view.node().outputs.size(); ++i)
        if (const ModelTensor* tensor = view.out(i); tensor && !tensor->has_value) return false;
    return true;
}

}  // namespace

std::string_view name_of(WorkKind kind) {
    constexpr std::string_view kNames[] = {"free", "matrix", "vector", "move", "uncounted"};
    return kNames[static_cast<size_t>(kind)];
}

OpWork op_work(const ModelGraph& graph, const ModelNode& node) {
    const NodeView view(graph, node);
    OpWork work;
    work.kind = WorkKind::kFree;
    if (node.folded || is_shape_arithmetic(view)) return work;
    work.kind = WorkKind::kUncounted;
    WorkRule rule = product_rule(node.op_type);
    if (!rule) rule = plain_rule(node.op_type);
    if (!rule || !(shapes_known(view) || product_known(view))) return work;
    OpWork counted;
    if (!rule(view, counted)) return work;
    return counted;
}

}  // namespace opsight::cost
