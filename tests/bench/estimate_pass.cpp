// Estimates a network of N convolutions and activations (argument 1) as often as argument 2 says, and prints
// the quickest time in milliseconds: once as it stands, once with fusion and training.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "cost/estimate.h"

namespace {

using opsight::ModelGraph;
using opsight::ModelNode;
using opsight::ModelTensor;
using opsight::Shape;
using opsight::TensorId;

TensorId add(ModelGraph& graph, Shape shape, bool constant) {
    ModelTensor tensor;
    tensor.shape = std::move(shape);
    tensor.shape_known = true;
    tensor.constant = constant;
    graph.tensors.push_back(std::move(tensor));
    return static_cast<TensorId>(graph.tensors.size() - 1);
}

ModelGraph network(int nodes) {
    ModelGraph graph;
    TensorId last = add(graph, {1, 64, 56, 56}, false);
    graph.inputs = {last};
    for (int i = 0; i < nodes; ++i) {
        ModelNode node;
        node.name = "/block" + std::to_string(i / 2);
        node.op_type = i % 2 == 0 ? "Conv" : "Relu";
        node.inputs = {last};
        if (i % 2 == 0) node.inputs.push_back(add(graph, {64, 64, 3, 3}, true));
        last = add(graph, {1, 64, 56, 56}, false);
        node.outputs = {last};
        graph.nodes.push_back(std::move(node));
    }
    graph.outputs = {last};
    opsight::mark_graph(graph);
    return graph;
}

double best_ms(const ModelGraph& graph, const opsight::cost::Settings& settings, int rounds) {
    double best = 1e300;
    for (int i = 0; i < rounds; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const opsight::cost::Estimate estimate = opsight::cost::Network(graph).estimate(settings);
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
        if (estimate.total.flops() > 0 && took.count() < best) best = took.count();
    }
    return best;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const ModelGraph graph = network(std::atoi(argv[1]));
    opsight::cost::Settings settings;
    settings.device = *opsight::hardware::DeviceTable::built_in().find("h100-sxm");
    settings.fuse = false;
    const double plain = best_ms(graph, settings, std::atoi(argv[2]));
    settings.train = settings.fuse = true;
    std::printf("%.3f %.3f\n", plain, best_ms(graph, settings, std::atoi(argv[2])));
}
