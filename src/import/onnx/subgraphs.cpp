// If, Loop and Scan: the graphs inside them are written out where they stand.
#include <fmt/format.h>

#include "import/onnx/builder.h"

namespace opsight::importer::onnx {
namespace {

int count_nodes(const file::Graph& graph, int depth) {
    int count = graph.node_size();
    if (depth > kDeepest) return count;
    for (const file::Node& node : graph.node())
        for (const file::Attribute& attribute : node.attribute())
            if (attribute.has_g()) count += count_nodes(attribute.g(), depth + 1);
    return count;
}

bool is_known(const ModelTensor* tensor) {
    return tensor && tensor->has_value && tensor->value.size() == 1;
}

}  // namespace

TensorId Builder::body_tensor(const std::string& name, const ModelTensor& like, size_t drop_axes) {
    ModelTensor tensor;
    tensor.name = name;
    tensor.type = like.type;
    tensor.shape_known = like.shape_known && like.shape.size() >= drop_axes;
    if (tensor.shape_known)
        tensor.shape.assign(like.shape.begin() + static_cast<std::ptrdiff_t>(drop_axes), like.shape.end());
    return add_tensor(std::move(tensor));
}

Status Builder::add_body(const file::Graph& body, Scope& scope, std::vector<TensorId>& outputs) {
    if (scope.depth > kDeepest)
        return fail(fmt::format("graphs lie inside each other more than {} deep", kDeepest));
    OPSIGHT_TRY(add_initializers(body, scope));
    OPSIGHT_TRY(add_nodes(body.node(), scope));
    for (const file::ValueInfo& output : body.output()) {
        outputs.push_back(scope.find(output.name()));
        if (outputs.back() == kNoTensor)
            return fail(
                fmt::format("no node makes '{}', an output of the graph '{}'", output.name(), body.name()));
    }
    return {};
}

Status Builder::add_if(const file::Node& node, Scope& scope) {
    const file::Attribute *then = attribute(node, "then_branch", scope),
                          *otherwise = attribute(node, "else_branch", scope);
    if (!then || !otherwise) return fail(node_label(node) + " has not both of its branches");
    OPSIGHT_ASSIGN(const std::vector<TensorId> ids, input_ids(node, scope));
    const ModelTensor* condition = ids.empty() ? nullptr : graph_.tensor(ids[0]);
    bool take_then = count_nodes(then->g(), 0) >= count_nodes(otherwise->g(), 0);
    if (is_known(condition))
        take_then = condition->value[0] != 0;
    else
        graph_.notes.push_back(fmt::format(
            "{}: which branch runs is not known; the {} branch, the {} one, is counted", node_label(node),
            take_then ? "then" : "else", take_then ? "first or larger" : "larger"));
    Scope inner;
    inner.outer = &scope;
    inner.prefix = scope.prefix + (node.name().empty() ? "If" : node.name()) + "/";
    inner.repeat = scope.repeat;
    inner.depth = scope.depth + 1;
    std::vector<TensorId> outputs;
    OPSIGHT_TRY(add_body((take_then ? then : otherwise)->g(), inner, outputs));
    return set_outputs(node, outputs, scope);
}

Status Builder::add_loop(const file::Node& node, Scope& scope) {
    const file::Attribute* attribute_body = attribute(node, "body", scope);
    if (!attribute_body) return fail(node_label(node) + " has no body");
    const file::Graph& body = attribute_body->g();
    OPSIGHT_ASSIGN(const std::vector<TensorId> ids, input_ids(node, scope));
    int64_t trips = 1;
    const ModelTensor* limit = ids.empty() ? nullptr : graph_.tensor(ids[0]);
    if (is_known(limit) && limit->value[0] >= 0 && limit->value[0] < 1e9)
        trips = static_cast<int64_t>(limit->value[0]);
    else
        graph_.notes.push_back(node_label(node) + ": how often it runs is not known; one run is counted");
    const std::optional<int64_t> repeat = element_count({scope.repeat, trips});
    if (!repeat) return fail(node_label(node) + " runs more often than can be");
    Scope inner;
    inner.outer = &scope;
    inner.prefix = scope.prefix + (node.name().empty() ? "Loop" : node.name()) + "/";
    inner.repeat = *repeat;
    inner.depth = scope.depth + 1;
    ModelTensor scalar;
    scalar.type = ElementType::kInt64;
    scalar.shape_known = true;
    for (int i = 0; i < body.input_size(); ++i) {
        const TensorId given = static_cast<size_t>(i) < ids.size() ? ids[static_cast<size_t>(i)] : kNoTensor;
        const ModelTensor like = i < 2 || given == kNoTensor ? scalar : *graph_.tensor(given);
        inner.names[body.input(i).name()] = body_tensor(body.input(i).name(), like, 0);
    }
    std::vector<TensorId> made, outputs;
    OPSIGHT_TRY(add_body(body, inner, made));
    const size_t carried = body.input_size() > 2 ? static_cast<size_t>(body.input_size()) - 2 : 0;
    for (size_t i = 1; i < made.size(); ++i) {  // output 0 says whether to go on
        const ModelTensor tensor = *graph_.tensor(made[i]);
        const TensorId id = body_tensor(tensor.name, tensor, 0);
        ModelTensor& result = graph_.tensors[static_cast<size_t>(id)];
        if (i > carried) result.shape.insert(result.shape.begin(), trips);
        if (!element_count(result.shape))
            return fail(node_label(node) + " makes an output larger than can be");
        outputs.push_back(id);
    }
    return set_outputs(node, outputs, scope);
}

Status Builder::add_scan(const file::Node& node, Scope& scope) {
    const file::Attribute *attribute_body = attribute(node, "body", scope),
                          *count = attribute(node, "num_scan_inputs", scope);
    if (!attribute_body || !count) return fail(node_label(node) + " has no body or no num_scan_inputs");
    const file::Graph& body = attribute_body->g();
    OPSIGHT_ASSIGN(const std::vector<TensorId> ids, input_ids(node, scope));
    if (ids.size() != static_cast<size_t>(body.input_size()) || count->i() < 0 ||
        count->i() > static_cast<int64_t>(ids.size()))
        return fail(node_label(node) + " has not as many inputs as its body");
    const size_t states = ids.size() - static_cast<size_t>(count->i());
    int64_t trips = 1;
    Scope inner;
    inner.outer = &scope;
    for (size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] == kNoTensor) return fail(node_label(node) + " leaves out an input of its body");
        const ModelTensor like = *graph_.tensor(ids[i]);
        if (i >= states && like.shape_known && !like.shape.empty()) trips = like.shape[0];
        const std::string& name = body.input(static_cast<int>(i)).name();
        inner.names[name] = body_tensor(name, like, i >= states ? 1 : 0);
    }
    const std::optional<int64_t> repeat = element_count({scope.repeat, trips});
    if (!repeat) return fail(node_label(node) + " runs more often than can be");
    inner.prefix = scope.prefix + (node.name().empty() ? "Scan" : node.name()) + "/";
    inner.repeat = *repeat;
    inner.depth = scope.depth + 1;
    std::vector<TensorId> made, outputs;
    OPSIGHT_TRY(add_body(body, inner, made));
    for (size_t i = 0; i < made.size(); ++i) {
        const ModelTensor tensor = *graph_.tensor(made[i]);
        const TensorId id = body_tensor(tensor.name, tensor, 0);
        ModelTensor& result = graph_.tensors[static_cast<size_t>(id)];
        if (i >= states) result.shape.insert(result.shape.begin(), trips);
        if (!element_count(result.shape))
            return fail(node_label(node) + " makes an output larger than can be");
        outputs.push_back(id);
    }
    return set_outputs(node, outputs, scope);
}

}  // namespace opsight::importer::onnx
