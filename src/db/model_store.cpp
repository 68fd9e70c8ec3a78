#include "db/model_store.h"

#include <fmt/format.h>

#include <filesystem>

#include "analyze/model_groups.h"
#include "base/duckdb_log.h"
#include "cost/estimate.h"
#include "db/model_calls.h"
#include "db/reader.h"
#include "db/table_writer.h"

namespace opsight::db {
namespace {

namespace fs = std::filesystem;

struct NodeCost {
    cost::WorkKind kind = cost::WorkKind::kFree;
    double macs = 0, flops = 0, bytes = 0, parameters = 0, bound_ns = -1;
    cost::Limiter limiter = cost::Limiter::kNone;
};

struct Edge {
    int32_t from, to;
    TensorId tensor;
};

struct Plan {
    const ModelGraph& graph;
    analyze::ModelGroups groups;
    ModelCalls calls;
    std::vector<NodeCost> costs;
    std::vector<Edge> edges;
    cost::Settings settings;
    double batch = 0;
};

// The device that did most, with the peaks that the profile has for it; none where they are not known.
Result<std::optional<hardware::Device>> device_of(duck::Connection& connection) {
    std::optional<hardware::Device> none;
    OPSIGHT_ASSIGN(const duck::Rows most,
                   connection.query("SELECT t.device FROM raw.device_spans s JOIN raw.tracks t ON t.id = "
                                    "s.track GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1"));
    if (most.rows.empty()) return none;
    OPSIGHT_ASSIGN(
        const duck::Rows models,
        connection.query(
            duck::Statement("SELECT model, bandwidth, l2_bytes FROM raw.device_models WHERE device = $device "
                            "AND source > 0")
                .set("device", most.rows[0][0])));
    if (models.rows.empty()) return none;
    hardware::Device device;
    device.name = std::get<std::string>(models.rows[0][0]);
    device.bandwidth = std::get<double>(models.rows[0][1]);
    device.l2_bytes = std::get<double>(models.rows[0][2]);
    OPSIGHT_ASSIGN(
        const duck::Rows peaks,
        connection.query(
            duck::Statement(
                "SELECT matrix, precision, flops_per_s FROM raw.device_peaks WHERE device = $device")
                .set("device", most.rows[0][0])));
    for (const auto& row : peaks.rows) {
        const int64_t precision = std::get<int64_t>(row[1]);
        if (precision < 0 || precision >= std::ssize(hardware::kPrecisions)) continue;
        device.peaks.push_back(
            {std::get<bool>(row[0]) ? hardware::UnitKind::kMatrix : hardware::UnitKind::kVector,
             hardware::kPrecisions[static_cast<size_t>(precision)], std::get<double>(row[2]), 0});
    }
    return std::optional(std::move(device));
}

void count_work(Plan& plan) {
    constexpr double kNsPerSecond = 1e9;
    const cost::Network network(plan.graph);
    const cost::Estimate estimate = network.estimate(plan.settings);
    plan.batch = estimate.batch;
    plan.costs.resize(plan.graph.nodes.size());
    for (const cost::LayerCost& layer : estimate.layers) {
        NodeCost& to = plan.costs[layer.nodes.at(0)];
        to.kind = layer.kind;
        to.parameters = layer.parameters;
        if (layer.kind == cost::WorkKind::kUncounted) {
            to.macs = to.flops = to.bytes = -1;
            continue;
        }
        to.macs = layer.macs();
        to.flops = layer.flops();
        to.bytes = layer.bytes();
        if (plan.settings.device) to.bound_ns = layer.bound_s * kNsPerSecond;
        to.limiter = layer.limiter;
    }
}

std::vector<Edge> edges_of(const ModelGraph& graph) {
    std::vector<int32_t> producer(graph.tensors.size(), -1);
    for (size_t n = 0; n < graph.nodes.size(); ++n)
        for (const TensorId id : graph.nodes[n].outputs)
            if (id >= 0) producer[static_cast<size_t>(id)] = static_cast<int32_t>(n);
    std::vector<Edge> edges;
    for (size_t n = 0; n < graph.nodes.size(); ++n)
        for (const TensorId id : graph.nodes[n].inputs)
            if (id >= 0 && producer[static_cast<size_t>(id)] >= 0)
                edges.push_back({producer[static_cast<size_t>(id)], static_cast<int32_t>(n), id});
    return edges;
}

std::string shape_of(const ModelGraph& graph, TensorId id) {
    const ModelTensor* tensor = graph.tensor(id);
    return tensor && tensor->shape_known ? shape_text(tensor->shape) : std::string();
}

// Appends the rows of one table.
template <class Fill>
Status fill_table(duck::Connection& connection, std::string_view table, size_t rows, Fill fill) {
    OPSIGHT_ASSIGN(TableWriter writer, TableWriter::create(connection, table));
    return writer.rows(0, rows, fill);
}

Status write_groups(duck::Connection& connection, const Plan& plan) {
    const std::vector<analyze::ModelGroup>& groups = plan.groups.groups;
    return fill_table(connection, "model_groups", groups.size(), [&](TableWriter& out) {
        out.put<int32_t>("id", [](size_t i) { return i; });
        out.put<int32_t>("parent", [&](size_t i) { return groups[i].parent; });
        out.put_text("name", [&](size_t i) { return std::string_view(groups[i].name); });
        out.put_text("path", [&](size_t i) { return std::string_view(groups[i].path); });
        out.put<bool>("part", [&](size_t i) { return groups[i].part; });
        out.put<int32_t>("layer", [&](size_t i) { return groups[i].part ? -1 : plan.calls.group_layer[i]; });
    });
}

Status write_nodes(duck::Connection& connection, const Plan& plan) {
    const std::vector<ModelNode>& nodes = plan.graph.nodes;
    std::vector<std::string> shapes;
    for (const ModelNode& node : nodes)
        shapes.push_back(shape_of(plan.graph, node.outputs.empty() ? kNoTensor : node.outputs[0]));
    return fill_table(connection, "model_nodes", nodes.size(), [&](TableWriter& out) {
        out.put<int32_t>("id", [](size_t i) { return i; });
        out.put<int32_t>("grp", [&](size_t i) { return plan.groups.group[i]; });
        out.put_text("name", [&](size_t i) { return std::string_view(nodes[i].name); });
        out.put_text("label", [&](size_t i) { return std::string_view(plan.groups.label[i]); });
        out.put_text("op_type", [&](size_t i) { return std::string_view(nodes[i].shown_type()); });
        out.put_text("module", [&](size_t i) { return std::string_view(plan.groups.path[i]); });
        out.put<int32_t>("layer", [&](size_t i) { return plan.calls.layer[i]; });
        out.put<int8_t>("how", [&](size_t i) { return static_cast<int8_t>(plan.calls.how[i]); });
        out.put_text("output_shape", [&](size_t i) { return std::string_view(shapes[i]); });
        out.put_text("kind", [&](size_t i) { return cost::name_of(plan.costs[i].kind); });
        out.put<double>("macs", [&](size_t i) { return plan.costs[i].macs; });
        out.put<double>("flops", [&](size_t i) { return plan.costs[i].flops; });
        out.put<double>("bytes_min", [&](size_t i) { return plan.costs[i].bytes; });
        out.put<double>("parameters", [&](size_t i) { return plan.costs[i].parameters; });
        out.put<double>("bound_ns", [&](size_t i) { return plan.costs[i].bound_ns; });
        out.put<int8_t>("limiter", [&](size_t i) { return static_cast<int8_t>(plan.costs[i].limiter); });
        out.put<bool>("folded", [&](size_t i) { return nodes[i].folded; });
    });
}

Status write_links(duck::Connection& connection, const Plan& plan) {
    const std::vector<Edge>& edges = plan.edges;
    std::vector<std::string> shapes;
    for (const Edge& edge : edges)
        shapes.push_back(shape_of(plan.graph, edge.tensor));
    OPSIGHT_TRY(fill_table(connection, "model_edges", edges.size(), [&](TableWriter& out) {
        out.put<int32_t>("from_node", [&](size_t i) { return edges[i].from; });
        out.put<int32_t>("to_node", [&](size_t i) { return edges[i].to; });
        out.put_text("shape", [&](size_t i) { return std::string_view(shapes[i]); });
    }));
    const std::vector<ModelCall>& calls = plan.calls.calls;
    return fill_table(connection, "model_calls", calls.size(), [&](TableWriter& out) {
        out.put<int32_t>("node", [&](size_t i) { return calls[i].node; });
        out.put<int32_t>("op", [&](size_t i) { return calls[i].op; });
        out.put<bool>("backward", [&](size_t i) { return calls[i].backward; });
    });
}

Status write_model(duck::Connection& connection, const Plan& plan, const std::string& file,
                   const AddedModel& added) {
    for (const char* table : {"models", "model_groups", "model_nodes", "model_edges", "model_calls"})
        OPSIGHT_TRY(connection.execute(fmt::format("DELETE FROM raw.{}", table)));
    std::string notes;
    for (const std::string& note : plan.graph.notes)
        notes += (notes.empty() ? "" : "\n") + note;
    const std::string device = plan.settings.device ? plan.settings.device->name : std::string();
    const std::string_view format =
        plan.settings.precision ? hardware::name_of(*plan.settings.precision) : std::string_view();
    OPSIGHT_TRY(fill_table(connection, "models", 1, [&](TableWriter& out) {
        out.put_text("name", [&](size_t) { return std::string_view(file); });
        out.put_text("format", [&](size_t) { return std::string_view(plan.graph.format); });
        out.put_text("producer", [&](size_t) { return std::string_view(plan.graph.producer); });
        out.put<double>("batch", [&](size_t) { return plan.batch; });
        out.put_text("precision", [format](size_t) { return format; });
        out.put_text("device", [&](size_t) { return std::string_view(device); });
        out.put<int64_t>("nodes", [&](size_t) { return added.nodes; });
        out.put<int64_t>("matched", [&](size_t) { return added.matched(); });
        out.put_text("notes", [&](size_t) { return std::string_view(notes); });
    }));
    OPSIGHT_TRY(write_groups(connection, plan));
    OPSIGHT_TRY(write_nodes(connection, plan));
    return write_links(connection, plan);
}

AddedModel sums_of(const Plan& plan) {
    AddedModel added;
    for (size_t n = 0; n < plan.graph.nodes.size(); ++n) {
        if (plan.graph.nodes[n].folded) continue;
        const analyze::MatchHow how = plan.calls.how[n];
        ++added.nodes;
        added.by_name += how == analyze::MatchHow::kName ? 1 : 0;
        added.by_order += how == analyze::MatchHow::kOrder ? 1 : 0;
        const double macs = std::max(plan.costs[n].macs, 0.0);
        added.macs += macs;
        added.matched_macs += how == analyze::MatchHow::kNone ? 0 : macs;
    }
    return added;
}

Error not_added(Error error, const std::string& path) {
    const bool full = error.code == ErrorCode::kNoSpace;
    error.what = full ? "the disk is full: the model could not be added"
                      : "the model could not be added: " + error.what;
    if (error.remedy.empty())
        error.remedy = full ? "make room beside the profile, which is as it was" : "the profile is as it was";
    error.file = path;
    return error;
}

}  // namespace

Result<AddedModel> add_model(const std::string& path, const ModelGraph& graph, const std::string& file) {
    const auto named = [&path](Error error) { return fail(not_added(std::move(error), path)); };
    OPSIGHT_ASSIGN(OpenProfile profile, open_profile_to_change(path));
    duck::Connection& connection = profile.connection;
    Plan plan{graph, analyze::group_nodes(graph), {}, {}, edges_of(graph), {}, 0};
    auto calls = find_model_calls(connection, graph, plan.groups);
    if (!calls) return named(std::move(calls).error());
    plan.calls = std::move(*calls);
    auto device = device_of(connection);
    if (!device) return named(std::move(device).error());
    plan.settings.device = std::move(*device);
    plan.settings.fuse = false;  // a bound for each node
    plan.settings.precision = plan.calls.precision;
    plan.settings.batch = static_cast<double>(plan.calls.batch);
    count_work(plan);
    const AddedModel added = sums_of(plan);
    // What somebody committed before goes into the file first: the log is ours alone then.
    Status written = connection.execute("CHECKPOINT; BEGIN TRANSACTION");
    if (written) written = write_model(connection, plan, file, added);
    if (written) written = connection.execute("COMMIT");
    if (!written) return named(std::move(written).error());
    if (Status done = connection.execute("CHECKPOINT"); !done) {
        // It is committed, but to the log: from there it would come back, or not, where the file is copied.
        std::error_code absent;
        fs::remove(duck::log_beside(fs::absolute(path, absent).string()), absent);
        return named(std::move(done).error());
    }
    return added;
}

}  // namespace opsight::db
