#include "query/model/model_graph.h"

#include <map>
#include <set>
#include <sstream>

#include "query/model/sql.h"
#include "query/session/cells.h"

namespace opsight::query {
namespace {

void add(ModelSums& to, const ModelSums& from) {
    for (const auto member :
         {&ModelSums::nodes, &ModelSums::matched, &ModelSums::calls, &ModelSums::gpu_ns,
          &ModelSums::backward_gpu_ns, &ModelSums::cpu_ns, &ModelSums::backward_cpu_ns, &ModelSums::tc_using,
          &ModelSums::tc_eligible, &ModelSums::tc_not_eligible, &ModelSums::tc_unknown})
        to.*member += from.*member;
    for (const auto member : {&ModelSums::macs, &ModelSums::flops, &ModelSums::parameters,
                              &ModelSums::bound_ns, &ModelSums::math_bound_ns, &ModelSums::memory_bound_ns})
        to.*member += from.*member;
}

// The whole network, closed.
struct Network {
    std::vector<ModelItem> groups;          // by id
    std::vector<ModelItem> nodes;           // those that run
    std::map<int64_t, int64_t> node_group;  // innermost group of each node's id
    double all_gpu_ns = 0;
};

Status read_groups(Session& session, Network& network) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(model::sql::model_groups));
    for (const auto& row : rows.rows) {
        ModelItem group;
        group.group = integer(row[0]);
        group.parent = integer(row[1]);
        group.label = text(row[2]);
        group.name = text(row[3]);
        group.layer = text(row[4]);
        if (group.group != std::ssize(network.groups) || group.parent >= group.group)
            return fail("the groups of the model are not in order", session.path(), {},
                        "add the model again: opsight import PROFILE --model FILE");
        network.groups.push_back(std::move(group));
    }
    return {};
}

ModelItem node_of(const std::vector<Cell>& row) {
    ModelItem node;
    ModelSums& sums = node.sums;
    node.node = integer(row[0]);
    node.parent = integer(row[1], -1);
    node.label = text(row[2]);
    node.name = text(row[3]);
    node.op_type = text(row[4]);
    node.shape = text(row[5]);
    node.layer = text(row[6]);
    node.matched = text(row[7]);
    sums.nodes = 1;
    sums.matched = node.matched.empty() ? 0 : 1;
    sums.macs = real(row[8]);
    sums.flops = real(row[9]);
    sums.parameters = real(row[10]);
    sums.bound_ns = real(row[11]);
    if (const std::string limiter = text(row[12]); !limiter.empty())
        (limiter == "math" ? sums.math_bound_ns : sums.memory_bound_ns) = sums.bound_ns;
    sums.calls = integer(row[13]);
    sums.gpu_ns = integer(row[14]);
    sums.backward_gpu_ns = integer(row[15]);
    sums.cpu_ns = integer(row[16]);
    sums.backward_cpu_ns = integer(row[17]);
    const std::string tc = text(row[18]);
    sums.tc_using = tc == "using";
    sums.tc_eligible = tc == "eligible";
    sums.tc_not_eligible = tc == "not_eligible";
    sums.tc_unknown = tc == "unknown";
    node.op = integer(row[19], -1);
    node.op_name = text(row[20]);
    node.begin_ns = integer(row[21], -1);
    node.dur_ns = integer(row[22]);
    return node;
}

Result<Network> read_network(Session& session) {
    Network network;
    OPSIGHT_TRY(read_groups(session, network));
    OPSIGHT_TRY(session.prepare(model::sql::model_sums));
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(model::sql::model_items));
    for (const auto& row : rows.rows) {
        ModelItem node = node_of(row);
        if (node.parent >= std::ssize(network.groups)) node.parent = -1;
        network.node_group[node.node] = node.parent;
        for (int64_t at = node.parent; at >= 0; at = network.groups[static_cast<size_t>(at)].parent)
            add(network.groups[static_cast<size_t>(at)].sums, node.sums);
        network.nodes.push_back(std::move(node));
    }
    OPSIGHT_ASSIGN(const duck::Rows all, session.query(model::sql::device_total));
    network.all_gpu_ns = real(all.rows.at(0)[0]);
    return network;
}

// Opens groups and those around them in the order of their ids, parents before children, while there is room.
std::set<int64_t> opened(const Network& network, const std::vector<int64_t>& wanted, bool& cut) {
    std::vector<size_t> children(network.groups.size());
    size_t shown = 0;
    for (const std::vector<ModelItem>* items : {&network.groups, &network.nodes})
        for (const ModelItem& item : *items)
            ++(item.parent < 0 ? shown : children[static_cast<size_t>(item.parent)]);
    std::set<int64_t> with_parents, open;
    for (int64_t group : wanted) {
        if (group >= std::ssize(network.groups)) continue;
        for (; group >= 0 && with_parents.insert(group).second;)
            group = network.groups[static_cast<size_t>(group)].parent;
    }
    for (const int64_t group : with_parents) {
        const int64_t parent = network.groups[static_cast<size_t>(group)].parent;
        if (parent >= 0 && !open.contains(parent)) continue;
        if (shown + children[static_cast<size_t>(group)] > kMostModelItems) {
            cut = true;
            continue;
        }
        shown += children[static_cast<size_t>(group)];
        open.insert(group);
    }
    return open;
}

// The items that can be seen, and which of them stands for each group and node.
struct Shown {
    std::vector<ModelItem> items;
    std::map<int64_t, size_t> group, node;
};

Shown visible(const Network& network, const std::set<int64_t>& open) {
    Shown shown;
    for (const ModelItem& each : network.groups) {
        if (each.sums.nodes == 0) continue;
        if (each.parent >= 0 && !open.contains(each.parent)) {
            if (const auto above = shown.group.find(each.parent); above != shown.group.end())
                shown.group[each.group] = above->second;
            continue;
        }
        shown.group[each.group] = shown.items.size();
        shown.items.push_back(each);
        shown.items.back().open = open.contains(each.group);
    }
    for (const ModelItem& each : network.nodes) {
        if (each.parent >= 0 && !open.contains(each.parent)) {
            shown.node[each.node] = shown.group.at(each.parent);
            continue;
        }
        shown.node[each.node] = shown.items.size();
        shown.items.push_back(each);
    }
    return shown;
}

Result<std::vector<ModelEdge>> visible_edges(Session& session, const Shown& shown) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(model::sql::model_edges));
    std::map<std::pair<size_t, size_t>, ModelEdge> edges;
    for (const auto& row : rows.rows) {
        const auto from = shown.node.find(integer(row[0])), to = shown.node.find(integer(row[1]));
        if (from == shown.node.end() || to == shown.node.end() || from->second == to->second) continue;
        ModelEdge& edge =
            edges
                .try_emplace({from->second, to->second}, ModelEdge{from->second, to->second, 0, text(row[2])})
                .first->second;
        ++edge.tensors;
    }
    std::vector<ModelEdge> list;
    for (auto& [ends, edge] : edges)
        list.push_back(std::move(edge));
    return list;
}

Result<std::optional<ModelFacts>> read_facts(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(model::sql::model_facts));
    if (rows.rows.empty()) return std::optional<ModelFacts>();
    const auto& row = rows.rows[0];
    ModelFacts facts{text(row[0]),    text(row[1]), text(row[2]),
                     text(row[3]),    real(row[4]), integer(row[5]),
                     integer(row[6]), -1,           {}};
    std::istringstream notes(text(row[7]));
    for (std::string line; std::getline(notes, line);)
        facts.notes.push_back(line);
    return std::optional(std::move(facts));
}

}  // namespace

std::string ModelItem::tensor_cores() const {
    if (sums.tc_eligible > 0 && sums.tc_using == 0) return "eligible";
    if (sums.tc_using > 0) return "using";
    if (sums.tc_unknown > 0) return "unknown";
    return sums.tc_not_eligible > 0 ? "not_eligible" : "";
}

std::string ModelItem::limiter() const {
    if (sums.math_bound_ns <= 0 && sums.memory_bound_ns <= 0) return "";
    return sums.math_bound_ns > sums.memory_bound_ns ? "math" : "memory";
}

Result<std::optional<ModelView>> model_graph(Session& session, const std::vector<int64_t>& open) {
    OPSIGHT_ASSIGN(std::optional<ModelFacts> facts, read_facts(session));
    if (!facts) return std::optional<ModelView>();
    OPSIGHT_ASSIGN(const Network network, read_network(session));
    ModelView view;
    view.facts = std::move(*facts);
    for (const ModelItem& node : network.nodes)
        add(view.all, node.sums);
    const auto share = [&network](const ModelSums& sums) {
        return network.all_gpu_ns > 0 ? 100.0 * static_cast<double>(sums.gpu_ns) / network.all_gpu_ns : -1;
    };
    view.facts.gpu_share_pct = share(view.all);
    Shown shown = visible(network, opened(network, open, view.cut));
    OPSIGHT_ASSIGN(view.edges, visible_edges(session, shown));
    view.items = std::move(shown.items);
    for (ModelItem& item : view.items)
        item.share_pct = share(item.sums);
    return std::optional(std::move(view));
}

Result<ResultTable> model_nodes(Session& session, const TableSubject&, const TableShape& shape) {
    OPSIGHT_TRY(session.prepare(model::sql::model_sums));
    Question q{"model_nodes", "Nodes of the Model"};
    q.columns = {{"node", "Node", Unit::kCount, 0, Role::kId},
                 {"name", "Name"},
                 {"op_type", "Op Type"},
                 {"module", "Module"},
                 {"group", "Group", Unit::kCount, 0, Role::kId},
                 {"matched", "Matched by"},
                 {"op_id", "Op ID", Unit::kCount, 0, Role::kId},
                 {"op_name", "Op Name"},
                 {"layer", "Layer"},
                 {"calls", "Calls", Unit::kCount},
                 of_device({"total_gpu_time_ns", "Total GPU Time (ns)", Unit::kNs}),
                 of_device({"backward_gpu_time_ns", "Backward GPU Time (ns)", Unit::kNs}),
                 of_device({"gpu_share_pct", "GPU Time %", Unit::kPercent}),
                 of_host({"total_cpu_time_ns", "Total CPU Time (ns)", Unit::kNs}),
                 of_device({"using_tc", "Tensor Cores", Unit::kNone, 0, Role::kAnswer}),
                 {"macs", "MACs", Unit::kCount},
                 {"flops", "FLOPs", Unit::kCount},
                 {"parameters", "Parameters", Unit::kCount},
                 {"bytes_min", "Bytes at Least", Unit::kBytes},
                 {"bound_ns", "Bound (ns)", Unit::kNs},
                 {"limiter", "Limiter"},
                 {"output_shape", "Output"}};
    q.rows = model::sql::model_nodes;
    q.order = {{"node", false}};
    return ask(session, q, shape);
}

}  // namespace opsight::query
