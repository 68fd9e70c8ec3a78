#include <fmt/format.h>

#include <functional>
#include <queue>

#include "import/onnx/builder.h"

namespace opsight::importer::onnx {
namespace {

// Everything that a node reads, with what the graphs inside it read from around them.
void collect_reads(const file::Node& node, int depth, std::vector<const std::string*>& reads) {
    for (const std::string& name : node.input())
        if (!name.empty()) reads.push_back(&name);
    if (depth > 64) return;  // the reader of nested graphs refuses these
    const auto collect_graph = [&](const file::Graph& graph) {
        for (const file::Node& inner : graph.node())
            collect_reads(inner, depth + 1, reads);
        for (const file::ValueInfo& output : graph.output())
            reads.push_back(&output.name());
    };
    for (const file::Attribute& attribute : node.attribute()) {
        if (attribute.has_g()) collect_graph(attribute.g());
        for (const file::Graph& graph : attribute.graphs())
            collect_graph(graph);
    }
}

}  // namespace

std::string node_label(const file::Node& node) {
    const std::string name = node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
    return fmt::format("node '{}' ({})", name, node.op_type());
}

Result<std::vector<int>> run_order(const google::protobuf::RepeatedPtrField<file::Node>& nodes) {
    std::unordered_map<std::string, int> makers;
    for (int i = 0; i < nodes.size(); ++i)
        for (const std::string& name : nodes[i].output())
            if (!name.empty() && !makers.emplace(name, i).second)
                return fail(fmt::format("two nodes make '{}', the second is {}", name, node_label(nodes[i])));
    std::vector<int> waits(static_cast<size_t>(nodes.size()), 0);
    std::vector<std::vector<int>> readers(static_cast<size_t>(nodes.size()));
    for (int i = 0; i < nodes.size(); ++i) {
        std::vector<const std::string*> reads;
        collect_reads(nodes[i], 0, reads);
        for (const std::string* name : reads)
            if (const auto maker = makers.find(*name); maker != makers.end()) {
                readers[static_cast<size_t>(maker->second)].push_back(i);
                ++waits[static_cast<size_t>(i)];
            }
    }
    // Those that may run, first in the file first: a file in order stays as it is.
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (int i = 0; i < nodes.size(); ++i)
        if (waits[static_cast<size_t>(i)] == 0) ready.push(i);
    std::vector<int> order;
    while (!ready.empty()) {
        const int next = ready.top();
        ready.pop();
        order.push_back(next);
        for (int reader : readers[static_cast<size_t>(next)])
            if (--waits[static_cast<size_t>(reader)] == 0) ready.push(reader);
    }
    for (int i = 0; i < nodes.size(); ++i)
        if (waits[static_cast<size_t>(i)] > 0)
            return fail(
                fmt::format("the graph has a cycle: {} waits for its own output", node_label(nodes[i])));
    return order;
}

}  // namespace opsight::importer::onnx
