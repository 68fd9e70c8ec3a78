#include "db/model_calls.h"

#include <algorithm>
#include <map>

namespace opsight::db {
namespace {

constexpr int kForwardDirection = 0;

// Instances of ops in the order in which they began, within ranks; parents before what they call.
struct Calls {
    std::vector<int32_t> id, parent, op, iteration, rank, forward;
    std::vector<int32_t> place;  // by id
    size_t size() const { return id.size(); }
    int32_t place_of(int32_t op_id) const {
        return op_id < 0 || op_id >= std::ssize(place) ? -1 : place[static_cast<size_t>(op_id)];
    }
};

struct Ops {
    std::vector<analyze::RunOp> list;  // by op_identities.id
    std::vector<std::string> dtypes;
    std::vector<bool> forward;
};

Result<Ops> read_ops(duck::Connection& connection) {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        connection.query("SELECT i.id, i.name, i.type, coalesce(l.path, ''), i.layer, i.shapes, i.dtypes, "
                         "i.direction FROM raw.op_identities i LEFT JOIN raw.layers l ON l.id = i.layer "
                         "ORDER BY i.id"));
    Ops ops;
    for (const auto& row : rows.rows) {
        if (std::get<int64_t>(row[0]) != std::ssize(ops.list))
            return fail("the ops of the profile are not numbered from 0 on", {}, {},
                        "import the trace again");
        ops.list.push_back({std::get<std::string>(row[1]), std::get<std::string>(row[2]),
                            std::get<std::string>(row[3]), static_cast<int32_t>(std::get<int64_t>(row[4])),
                            std::get<std::string>(row[5])});
        ops.dtypes.push_back(std::get<std::string>(row[6]));
        ops.forward.push_back(std::get<int64_t>(row[7]) == kForwardDirection);
    }
    return ops;
}

Result<Calls> read_calls(duck::Connection& connection, size_t ops) {
    Calls calls;
    bool valid = true;
    OPSIGHT_TRY(connection.scan(
        "SELECT CAST(o.id AS INTEGER), CAST(o.parent_op AS INTEGER), CAST(o.op AS INTEGER), "
        "CAST(o.iteration AS INTEGER), CAST(t.rank AS INTEGER), CAST(o.forward AS INTEGER) FROM raw.ops o "
        "JOIN raw.tracks t ON t.id = o.track ORDER BY t.rank, o.begin_ns, o.dur_ns DESC, o.id",
        [&](const duck::Batch& batch) {
            size_t column = 0;
            for (auto* values :
                 {&calls.id, &calls.parent, &calls.op, &calls.iteration, &calls.rank, &calls.forward}) {
                const int32_t* from = batch.column<int32_t>(column++);
                values->insert(values->end(), from, from + batch.size());
            }
        }));
    const int32_t largest = calls.size() == 0 ? -1 : *std::max_element(calls.id.begin(), calls.id.end());
    calls.place.assign(static_cast<size_t>(largest + 1), -1);
    for (size_t i = 0; i < calls.size(); ++i) {
        valid = valid && calls.id[i] >= 0 && calls.op[i] >= 0 && static_cast<size_t>(calls.op[i]) < ops;
        if (valid) calls.place[static_cast<size_t>(calls.id[i])] = static_cast<int32_t>(i);
    }
    if (!valid) return fail("the profile has ops without a description", {}, {}, "import the trace again");
    return calls;
}

// The ops of each forward pass: outermost ones that a network's file may hold, by rank and iteration.
std::map<std::pair<int32_t, int32_t>, std::vector<int32_t>> passes_of(const Calls& calls, const Ops& ops,
                                                                      const analyze::ModelMatcher& matcher) {
    std::map<std::pair<int32_t, int32_t>, std::vector<int32_t>> passes;
    std::vector<bool> taken(calls.size());  // it or what called it
    for (size_t i = 0; i < calls.size(); ++i) {
        const int32_t parent = calls.place_of(calls.parent[i]), op = calls.op[i];
        taken[i] = parent >= 0 && taken[static_cast<size_t>(parent)];
        const bool forward = ops.forward[static_cast<size_t>(op)];
        if (taken[i] || !matcher.takes_part(op) || !(forward || matcher.is_named(op))) continue;
        taken[i] = true;
        passes[{calls.rank[i], calls.iteration[i]}].push_back(static_cast<int32_t>(i));
    }
    return passes;
}

// Node that each call runs, or -1: calls of passes, by their places.
std::vector<int32_t> match_passes(const Calls& calls, const Ops& ops, const analyze::ModelMatcher& matcher,
                                  ModelCalls& out) {
    std::vector<int32_t> nodes(calls.size(), -1);
    std::map<std::vector<int32_t>, std::vector<analyze::NodeMatch>> known;  // iterations are mostly alike
    for (const auto& [where, places] : passes_of(calls, ops, matcher)) {
        std::vector<int32_t> pass;
        for (const int32_t place : places)
            pass.push_back(calls.op[static_cast<size_t>(place)]);
        auto found = known.find(pass);
        if (found == known.end()) found = known.emplace(pass, matcher.match(pass)).first;
        for (size_t i = 0; i < places.size(); ++i) {
            const analyze::NodeMatch& match = found->second[i];
            if (match.node < 0) continue;
            nodes[static_cast<size_t>(places[i])] = match.node;
            analyze::MatchHow& how = out.how[static_cast<size_t>(match.node)];
            if (how != analyze::MatchHow::kName) how = match.how;
        }
    }
    return nodes;
}

// What nodes' ops and their backward ops are; `nodes` gets what they call too.
void list_calls(const Calls& calls, std::vector<int32_t>& nodes, ModelCalls& out) {
    for (size_t i = 0; i < calls.size(); ++i) {
        const int32_t parent = calls.place_of(calls.parent[i]);
        if (nodes[i] >= 0)
            out.calls.push_back({nodes[i], calls.id[i], false});
        else if (parent >= 0)
            nodes[i] = nodes[static_cast<size_t>(parent)];
    }
    std::vector<int32_t> backward(calls.size(), -1);
    for (size_t i = 0; i < calls.size(); ++i) {
        const int32_t parent = calls.place_of(calls.parent[i]), forward = calls.place_of(calls.forward[i]);
        const int32_t above = parent < 0 ? -1 : backward[static_cast<size_t>(parent)];
        backward[i] = forward >= 0 && nodes[static_cast<size_t>(forward)] >= 0
                          ? nodes[static_cast<size_t>(forward)]
                          : above;
        if (backward[i] >= 0 && above < 0 && nodes[i] < 0)
            out.calls.push_back({backward[i], calls.id[i], true});
    }
}

std::optional<hardware::Precision> precision_of(const std::string& dtypes) {
    const std::string first = dtypes.substr(0, dtypes.find(','));
    if (first.find("BFloat16") != first.npos || first.find("bfloat16") != first.npos)
        return hardware::Precision::kBf16;
    if (first.find("Half") != first.npos || first.find("float16") != first.npos)
        return hardware::Precision::kFp16;
    return std::nullopt;
}

// Batch and number format that most products of the network ran with.
void find_settings(const Calls& calls, const Ops& ops, const analyze::ModelMatcher& matcher,
                   const std::vector<int32_t>& nodes, ModelCalls& out) {
    std::map<int64_t, size_t> batches;
    std::map<std::optional<hardware::Precision>, size_t> formats;
    for (size_t i = 0; i < calls.size(); ++i) {
        const int64_t batch = nodes[i] < 0 ? 0 : matcher.batch_of(calls.op[i], nodes[i]);
        if (batch <= 0) continue;
        ++batches[batch];
        ++formats[precision_of(ops.dtypes[static_cast<size_t>(calls.op[i])])];
    }
    const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
    if (batches.empty()) return;
    out.batch = std::max_element(batches.begin(), batches.end(), less)->first;
    out.precision = std::max_element(formats.begin(), formats.end(), less)->first;
}

}  // namespace

Result<ModelCalls> find_model_calls(duck::Connection& connection, const ModelGraph& graph,
                                    const analyze::ModelGroups& groups) {
    OPSIGHT_ASSIGN(const Ops ops, read_ops(connection));
    OPSIGHT_ASSIGN(const Calls calls, read_calls(connection, ops.list.size()));
    const analyze::ModelMatcher matcher(graph, groups, ops.list);
    ModelCalls out;
    out.how.assign(graph.nodes.size(), analyze::MatchHow::kNone);
    for (const std::string& path : groups.path)
        out.layer.push_back(matcher.layer_of(path));
    for (const analyze::ModelGroup& group : groups.groups)
        out.group_layer.push_back(matcher.layer_of(group.path));
    std::vector<int32_t> nodes = match_passes(calls, ops, matcher, out);
    find_settings(calls, ops, matcher, nodes, out);
    list_calls(calls, nodes, out);
    return out;
}

}  // namespace opsight::db
