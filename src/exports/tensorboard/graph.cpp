#include "exports/tensorboard/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "exports/wire/protobuf.h"
#include "exports/wire/valid_utf8.h"

namespace opsight::exports {
namespace {

constexpr int64_t kMostNodes = 20'000;

// Fields of TensorFlow's graph.proto, node_def.proto, attr_value.proto and versions.proto.
namespace graph_def {
constexpr uint32_t kNode = 1, kVersions = 4;
}
namespace node_def {
constexpr uint32_t kName = 1, kOp = 2, kDevice = 4, kAttribute = 5;
}
namespace entry {
constexpr uint32_t kKey = 1, kValue = 2;
}
namespace attribute {
constexpr uint32_t kText = 2, kWhole = 3;
}
namespace versions {
constexpr uint32_t kProducer = 1;
}

// Names have letters, digits and _ . - >, a slash goes down into a group.
std::string node_name(std::string_view text) {
    std::string name;
    for (const char c : text) {
        const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          std::string_view("_.-/").find(c) != std::string_view::npos;
        const char put = kept ? c : '_';
        if (put != '/' || (!name.empty() && name.back() != '/')) name += put;
    }
    while (name.ends_with('/'))
        name.pop_back();
    return name.empty() || name.front() == '-' || name.front() == '_' ? "." + name : name;
}

class Row {
  public:
    Row(const query::ResultTable& table, const std::vector<query::Cell>& cells)
        : table_(table), cells_(cells) {}
    const query::Cell& cell(std::string_view key) const {
        static const query::Cell none;
        for (size_t c = 0; c < table_.columns.size(); ++c)
            if (table_.columns[c].key == key) return cells_[c];
        return none;
    }
    std::string text(std::string_view key) const {
        const auto* found = std::get_if<std::string>(&cell(key));
        return found ? *found : std::string();
    }

  private:
    const query::ResultTable& table_;
    const std::vector<query::Cell>& cells_;
};

std::string answer(const query::Cell& cell) {
    if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? "yes" : "no";
    const auto* text = std::get_if<std::string>(&cell);
    return text ? *text : std::string();
}

std::string tensor_core_state(const Row& row) {
    const std::string uses = answer(row.cell("using_tc")), eligible = answer(row.cell("tc_eligible"));
    if (uses == "yes") return "using Tensor Cores";
    if (eligible == "yes") return uses == "no" ? "eligible, not using them" : "eligible, use not known";
    return eligible == "no" ? "not eligible" : "not known";
}

void put(Message& node, std::string_view key, const Message& value) {
    node.message(node_def::kAttribute, Message().text(entry::kKey, key).message(entry::kValue, value));
}

void put_cell(Message& node, std::string_view key, const query::Cell& cell) {
    if (const auto* whole = std::get_if<int64_t>(&cell))
        put(node, key, Message().integer(attribute::kWhole, *whole));
    else if (const auto* real = std::get_if<double>(&cell))
        put(node, key, Message().text(attribute::kText, fmt::format("{}", *real)));
    else if (const auto* text = std::get_if<std::string>(&cell); text && !text->empty())
        put(node, key, Message().text(attribute::kText, valid_utf8(*text)));
}

Message node_of(const Row& row, const std::string& name) {
    Message node;
    node.text(node_def::kName, name).text(node_def::kOp, valid_utf8(row.text("op_name")));
    const std::string state = tensor_core_state(row);
    put(node, "tensor_cores", Message().text(attribute::kText, state));
    // By this attribute the page can colour the nodes.
    put(node, "_XlaCluster", Message().text(attribute::kText, state));
    for (const char* key :
         {"direction", "calls", "total_gpu_time_ns", "total_cpu_time_ns", "kernels", "shapes", "dtypes"})
        put_cell(node, key, row.cell(key));
    return node;
}

}  // namespace

Graph make_graph(const query::ResultTable& ops) {
    Graph graph;
    Message all;
    std::set<std::string> names;
    for (const auto& cells : ops.rows) {
        if (graph.nodes == kMostNodes) break;
        const Row row(ops, cells);
        const std::string direction = row.text("direction"), layer = row.text("layer");
        std::string wanted =
            node_name((layer.empty() ? std::string("(no layer)") : layer) + "/" + row.text("op_name") +
                      (direction == "bprop" || direction == "backward" ? "_backward" : ""));
        std::string name = wanted;
        for (int number = 1; !names.insert(name).second; ++number)
            name = fmt::format("{}_{}", wanted, number);
        all.message(graph_def::kNode, node_of(row, name));
        ++graph.nodes;
    }
    const int64_t rows = ops.rows_in_all >= 0 ? ops.rows_in_all : std::ssize(ops.rows);
    graph.left_out = rows - graph.nodes;
    constexpr uint64_t kProducer = 1087;  // of TensorFlow 2.8
    all.message(graph_def::kVersions, Message().number(versions::kProducer, kProducer));
    graph.bytes = all.bytes();
    return graph;
}

}  // namespace opsight::exports
