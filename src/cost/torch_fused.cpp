// Kernels that Inductor makes of several ops, and what rules of ops without products share.
#include <algorithm>
#include <limits>

#include "cost/torch_rules.h"

namespace opsight::cost {

double flops_of(std::string_view ops, const Shape& in, const Shape& out, ElementType type) {
    double flops = 0;
    while (!ops.empty()) {
        const size_t end = std::min(ops.find(' '), ops.size());
        std::string_view op = ops.substr(0, end);
        ops.remove_prefix(std::min(end + 1, ops.size()));
        const bool backward = op.starts_with('~');
        if (backward) op.remove_prefix(1);
        const OpWork work = OneOp(std::string(op)).in(in, type).in(in, type).out(out, type).work();
        flops += work.flops * (backward ? work.backward_rest : 1);
    }
    return flops;
}

bool finish(TorchWork& work, double flops, double bytes, ElementType type) {
    work.kind = flops > 0 ? WorkKind::kVector : WorkKind::kMove;
    work.flops = flops;
    work.bytes = bytes;
    work.type = type;
    return true;
}

namespace {

// FLOPs of the ops that a fused kernel is named after, as far as they are known, for one tensor.
double fused_flops(std::string_view name, const TorchTensor& tensor) {
    name.remove_prefix(name.find("_fused_") + 7);
    double flops = 0;
    while (!name.empty()) {
        // The longest known op that the rest begins with: "native_layer_norm" before "native".
        size_t end = name.size();
        const TorchRule* rule = nullptr;
        for (; end != name.npos && end > 0 && !rule; end = end > 0 ? name.rfind('_', end - 1) : 0)
            if (rule = torch_plain_rule(name.substr(0, end)); rule) {
                if (!rule->ops.empty() && rule->ops != "~")
                    flops += flops_of(rule->ops, tensor.shape, tensor.shape, tensor.type);
                break;
            }
        const size_t next = rule ? end : name.find('_', 1);
        name.remove_prefix(std::min(next == name.npos ? name.size() : next + 1, name.size()));
    }
    return flops;
}

// Ops of which a kernel may touch a part of its arguments only.
bool takes_parts(std::string_view name) {
    constexpr std::string_view kOps[] = {"slice",     "select", "split", "narrow", "unbind", "index",
                                         "embedding", "gather", "chunk", "unfold", "roll"};
    return std::any_of(std::begin(kOps), std::end(kOps),
                       [&](std::string_view op) { return name.find(op) != name.npos; });
}

// Most elements that a fused kernel touches of an argument: its numbers say how many it runs over along each
// axis. Without numbers a kernel that takes parts touches as many as its last tensor has, which it writes.
double most_touched(const TorchCall& call) {
    double product = 1, last = 0;
    bool told = false;
    for (size_t i = 0; i < call.arguments.size(); ++i) {
        if (const TorchTensor* tensor = call.tensor(i)) {
            last = tensor->elements();
        } else if (const auto number = call.integer(i); number && *number > 0) {
            product *= static_cast<double>(*number);
            told = true;
        }
    }
    if (told) return product;
    return takes_parts(call.name) ? last : std::numeric_limits<double>::infinity();
}

// Kernels that a compiler made for several ops are named after them: triton_poi_fused_add_mul_relu_0. All
// arguments move once, as far as they are touched; one element of the largest for each op, as far as its name
// is known. What is changed in place is an argument like others, so it counts once.
bool fused_kernel(const TorchCall& call, const TorchRule&, TorchWork& work) {
    const TorchTensor* largest = nullptr;
    const double most = most_touched(call);
    double bytes = 0;
    for (size_t i = 0; i < call.arguments.size(); ++i) {
        const TorchTensor* tensor = call.tensor(i);
        if (!tensor) continue;
        bytes += std::min(tensor->distinct(), most) * static_cast<double>(bits_of(tensor->type)) / 8;
        if (!largest || tensor->elements() > largest->elements()) largest = tensor;
    }
    if (!largest) return false;
    assume(
        work,
        "FLOPs by the ops in the kernel's name, over its largest argument; what it changes in place counts "
        "once");
    const double part = largest->elements() > 0 ? std::min(1.0, most / largest->elements()) : 1;
    return finish(work, fused_flops(call.name, *largest) * part, bytes, largest->type);
}

}  // namespace

const TorchRule* torch_fused_rule(std::string_view name) {
    static const TorchRule rule{fused_kernel};
    return name.starts_with("triton_") && name.find("_fused_") != name.npos ? &rule : nullptr;
}

}  // namespace opsight::cost
