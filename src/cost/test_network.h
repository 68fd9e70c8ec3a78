// For tests: small networks, made node by node.
#pragma once

#include <gtest/gtest.h>

#include "cost/estimate.h"

namespace opsight::cost {

// Builds small graphs: weights and inputs by shape, nodes one after another.
struct Maker {
    ModelGraph graph;

    TensorId add(Shape shape, ElementType type = ElementType::kFloat32) {
        ModelTensor tensor;
        tensor.shape = std::move(shape);
        tensor.shape_known = true;
        tensor.type = type;
        graph.tensors.push_back(tensor);
        return static_cast<TensorId>(graph.tensors.size() - 1);
    }
    TensorId input(Shape shape, ElementType type = ElementType::kFloat32) {
        graph.own_batch = shape[0];
        graph.inputs.push_back(add(std::move(shape), type));
        return graph.inputs.back();
    }
    TensorId weight(Shape shape, ElementType type = ElementType::kFloat32) {
        const TensorId id = add(std::move(shape), type);
        graph.tensors[static_cast<size_t>(id)].constant = true;
        return id;
    }
    TensorId node(std::string op, std::vector<TensorId> inputs, Shape output,
                  std::map<std::string, Attribute, std::less<>> attributes = {}) {
        ModelNode node;
        node.name = op + std::to_string(graph.nodes.size());
        node.op_type = std::move(op);
        node.attributes = std::move(attributes);
        const ElementType type = graph.tensors[static_cast<size_t>(inputs[0])].type;
        node.inputs = std::move(inputs);
        node.outputs = {add(std::move(output), type)};
        graph.nodes.push_back(node);
        return node.outputs[0];
    }
    ModelGraph& done(TensorId output) {
        graph.outputs = {output};
        mark_graph(graph);
        return graph;
    }
};

inline hardware::Device device(std::string_view key) {
    return hardware::DeviceTable::built_in().find(key).value();
}

inline Estimate estimate(const ModelGraph& graph, const Settings& settings = {}) {
    return Network(graph).estimate(settings);
}

// A layer for each op.
inline Settings unfused() {
    Settings settings;
    settings.fuse = false;
    return settings;
}

}  // namespace opsight::cost
