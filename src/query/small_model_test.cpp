#include "query/small_model.h"

#include "db/model_store.h"

namespace opsight {
namespace {

// input -> /a/conv/Conv -> /a/Relu -> /b/c/Relu -> /b/Relu; the last is never run.
ModelGraph small_model() {
    ModelGraph graph;
    const auto tensor = [&graph](const std::string& name, Shape shape, bool constant) {
        ModelTensor made;
        made.name = name;
        made.shape = std::move(shape);
        made.shape_known = true;
        made.constant = constant;
        graph.tensors.push_back(std::move(made));
        return static_cast<TensorId>(graph.tensors.size()) - 1;
    };
    TensorId last = tensor("x", {1, 3, 8, 8}, false);
    graph.inputs = {last};
    const TensorId weight = tensor("w", {16, 3, 1, 1}, true);
    for (const char* name : {"/a/conv/Conv", "/a/Relu", "/b/c/Relu", "/b/Relu"}) {
        ModelNode node;
        node.name = name;
        node.op_type = graph.nodes.empty() ? "Conv" : "Relu";
        node.inputs = {last};
        if (graph.nodes.empty()) node.inputs.push_back(weight);
        node.outputs = {last = tensor(name, {1, 16, 8, 8}, false)};
        graph.nodes.push_back(std::move(node));
    }
    graph.outputs = {last};
    mark_graph(graph);
    return graph;
}

}  // namespace

AddedSmallModel add_small_model(const std::string& path) {
    const auto added = db::add_model(path, small_model(), "small.onnx");
    if (!added) return {.error = added.error().message()};
    return {.nodes = added->nodes,
            .matched = added->matched(),
            .macs = added->macs,
            .matched_macs = added->matched_macs};
}

}  // namespace opsight
