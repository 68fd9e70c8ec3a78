#include "query/reports/layer_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "query/reports/reports.h"
#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {
namespace {

size_t index_of(const ResultTable& table, std::string_view key) {
    for (size_t i = 0; i < table.columns.size(); ++i)
        if (table.columns[i].key == key) return i;
    return table.columns.size();
}

void add(LayerTimes& to, const LayerTimes& times) {
    to.cpu_ns += times.cpu_ns;
    to.gpu_ns += times.gpu_ns;
    to.kernels += times.kernels;
}

using Nodes = std::map<int64_t, LayerNode>;  // by id: parents have smaller ones

Result<Nodes> read_layers(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(reports::sql::layers));
    Nodes nodes;
    nodes[-1].path.assign(1, '/');
    for (const auto& row : rows.rows) {
        LayerNode node;
        node.id = integer(row[0]);
        node.parent = integer(row[1]);
        node.name = std::get<std::string>(row[2]);
        node.path = fmt::format("/{}", std::get<std::string>(row[3]));
        node.depth = integer(row[4]) + 1;
        nodes.emplace(node.id, std::move(node));
    }
    return nodes;
}

// Self times and kernels of each layer's own ops, then of its subtree.
// Reads outside_work, which group_op_report made.
Status add_times(Session& session, Nodes& nodes) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(reports::sql::layer_self_times));
    for (const auto& row : rows.rows) {
        const auto node = nodes.find(integer(row[0]));
        if (node == nodes.end()) continue;
        const LayerTimes times{integer(row[2]), integer(row[3]), integer(row[4])};
        add(node->second.own, times);
        for (int64_t id = node->first;; id = nodes.at(id).parent) {
            LayerNode& above = nodes.at(id);
            add(above.all, times);
            add(row[1] == duck::Cell("fprop")   ? above.forward
                : row[1] == duck::Cell("bprop") ? above.backward
                                                : above.other,
                times);
            if (id == -1) break;
        }
    }
    return {};
}

void append_subtree(const Nodes& nodes, const std::map<int64_t, std::vector<int64_t>>& children, int64_t id,
                    std::vector<LayerNode>& out) {
    out.push_back(nodes.at(id));
    const auto below = children.find(id);
    if (below == children.end()) return;
    std::vector<int64_t> order = below->second;
    std::sort(order.begin(), order.end(), [&nodes](int64_t a, int64_t b) {
        const LayerNode &x = nodes.at(a), &y = nodes.at(b);
        return std::tuple(-x.gpu_ns, -x.cpu_ns, a) < std::tuple(-y.gpu_ns, -y.cpu_ns, b);
    });
    for (const int64_t child : order)
        append_subtree(nodes, children, child, out);
}

}  // namespace

Result<std::vector<LayerNode>> layer_tree(Session& session) {
    OPSIGHT_ASSIGN(const Report report, group_op_report(session, {}));
    const ResultTable& table = report.sections.at(0).table;
    OPSIGHT_ASSIGN(Nodes nodes, read_layers(session));
    std::map<std::string, int64_t> by_path;
    for (const auto& [id, node] : nodes)
        by_path.emplace(node.path, id);
    const size_t name = index_of(table, "name"), calls = index_of(table, "calls"),
                 cpu = index_of(table, "total_cpu_time_ns"), gpu = index_of(table, "total_gpu_time_ns");
    std::map<int64_t, std::vector<int64_t>> children;
    for (const auto& row : table.rows) {
        const auto found = by_path.find(std::get<std::string>(row[name]));
        if (found == by_path.end()) continue;
        LayerNode& node = nodes.at(found->second);
        node.calls = integer(row[calls]);
        node.cpu_ns = integer(row[cpu]);
        node.gpu_ns = integer(row[gpu]);
        children[node.parent].push_back(node.id);
    }
    OPSIGHT_TRY(add_times(session, nodes));
    std::vector<LayerNode> tree;
    if (!table.rows.empty()) append_subtree(nodes, children, -1, tree);
    return tree;
}

}  // namespace opsight::query
