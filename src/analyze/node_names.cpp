#include "analyze/node_names.h"

#include <algorithm>

#include "analyze/model_groups.h"

namespace opsight::analyze {
namespace {

// ONNX Runtime adds the layout to the names of nodes that it turned: "247_nchwc".
std::string_view without_layout(std::string_view name) {
    for (const std::string_view layout : {"_nchwc", "_nhwc"})
        if (name.size() > layout.size() && name.ends_with(layout)) name.remove_suffix(layout.size());
    return name;
}

// What runtimes take into the op before it, and name the result after.
bool is_fused_into(std::string_view type) {
    constexpr std::string_view fused[] = {
        "batchnormalization", "relu", "leakyrelu", "clip", "sigmoid", "tanh", "add", "sum", "hardsigmoid"};
    return std::find(std::begin(fused), std::end(fused), type) != std::end(fused);
}

}  // namespace

NodeNames::NodeNames(const ModelGraph& graph, const std::vector<std::string>& types)
    : graph_(graph), types_(types), maker_(graph.tensors.size(), -1) {
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        const ModelNode& node = graph.nodes[n];
        for (const TensorId id : node.outputs) {
            if (id == kNoTensor) continue;
            maker_[static_cast<size_t>(id)] = static_cast<int32_t>(n);
            if (const ModelTensor* result = graph.tensor(id); result && !result->name.empty() && !node.folded)
                by_result_.emplace(module_path(result->name), static_cast<int32_t>(n));
        }
        if (!node.folded && !node.name.empty())
            by_name_.emplace(module_path(node.name), static_cast<int32_t>(n));
    }
}

int32_t NodeNames::named(std::string_view path) const {
    const auto found = by_name_.find(module_path(path));
    return found == by_name_.end() ? -1 : found->second;
}

// The node whose result it takes; of a sum of two results nobody knows into which it was fused.
int32_t NodeNames::before(int32_t node) const {
    int32_t found = -1;
    for (const TensorId id : graph_.nodes[static_cast<size_t>(node)].inputs) {
        const int32_t maker = id == kNoTensor ? -1 : maker_[static_cast<size_t>(id)];
        if (maker < 0 || graph_.nodes[static_cast<size_t>(maker)].folded) continue;
        if (found >= 0 && found != maker) return -1;
        found = maker;
    }
    return found;
}

int32_t NodeNames::ran_as(std::string_view layer, const std::vector<std::string_view>& types) const {
    const auto suits = [&](int32_t n) {
        return std::find(types.begin(), types.end(), types_[static_cast<size_t>(n)]) != types.end();
    };
    const std::string path = module_path(without_layout(layer));
    for (const auto* names : {&by_name_, &by_result_}) {
        const auto found = names->find(path);
        if (found == names->end()) continue;
        constexpr int kMostFused = 4;
        int32_t n = found->second;
        for (int step = 0; step < kMostFused && n >= 0 && !suits(n); ++step) {
            n = is_fused_into(types_[static_cast<size_t>(n)]) ? before(n) : -1;
        }
        if (n >= 0 && suits(n)) return n;
    }
    return -1;
}

}  // namespace opsight::analyze
