#include "cost/torch_work.h"

#include <algorithm>

#include "cost/torch_attention.h"
#include "cost/torch_rules.h"

namespace opsight::cost {
namespace {

const TorchRule* rule_of(std::string_view name) {
    const std::string_view bare = bare_torch_name(name);
    const TorchRule* rule = torch_product_rule(bare);
    if (!rule) rule = torch_fused_rule(bare);
    if (!rule) rule = torch_plain_rule(bare);
    if (!rule) rule = torch_serving_rule(name);
    return rule ? rule : runtime_node_rule(name);
}

}  // namespace

TensorId OneOp::add(const Shape& shape, ElementType type) {
    ModelTensor tensor;
    tensor.type = type;
    tensor.shape = shape;
    tensor.shape_known = true;
    graph_.tensors.push_back(std::move(tensor));
    return static_cast<TensorId>(graph_.tensors.size() - 1);
}

std::string_view bare_torch_name(std::string_view name) {
    if (name.starts_with("aten::")) name.remove_prefix(6);
    if (name.starts_with("torch.")) name.remove_prefix(name.rfind('.') + 1);
    // Of what works in place ("add_", but not "__and__") the name is that of the op.
    if (name.size() > 1 && name.ends_with('_') && !name.ends_with("__")) name.remove_suffix(1);
    return name;
}

TorchGradient torch_gradient(std::string_view name) {
    const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
    if (has("backward_input") || has("dgrad") || has("bwd_data")) return TorchGradient::kData;
    if (has("backward_weight") || has("wgrad") || has("bwd_weight")) return TorchGradient::kWeights;
    return TorchGradient::kUnspecified;
}

bool has_torch_rule(std::string_view name) {
    return rule_of(name) != nullptr;
}

bool is_plain_torch_op(std::string_view name) {
    const std::string_view bare = bare_torch_name(name);
    return !torch_product_rule(bare) && !torch_fused_rule(bare) && torch_plain_rule(bare);
}

TorchWork torch_work(const TorchCall& call) {
    const TorchRule* rule = rule_of(call.name);
    TorchWork work;
    if (rule && rule->apply(call, *rule, work) && work.kind != WorkKind::kUncounted) return work;
    return {};
}

}  // namespace opsight::cost
