#include "db/value_rules.h"

#include "base/time.h"
#include "model/spans.h"

namespace opsight::db {
namespace {

struct Named {
    std::string_view table, column;
    ValueRule rule;
};

constexpr ValueRule refers(std::string_view table, int64_t least = -1) {
    return {Rule::kRefersTo, least, 0, table};
}
constexpr ValueRule within(int64_t least, int64_t most) {
    return {Rule::kWithin, least, most};
}

// Where the name of a column does not tell.
constexpr Named kNamed[] = {
    {"strings", "id", {Rule::kUnique, 0, kMostTexts - 1}},
    {"tracks", "kind", within(0, 3)},
    {"tracks", "device", refers("devices")},
    {"contexts", "device", {}},
    {"nvtx_attributes", "type", within(-1, INT8_MAX)},
    {"op_identities", "layer", refers("layers")},
    {"layers", "parent", {Rule::kParent, -1}},
    {"layers", "depth", within(0, INT16_MAX)},
    {"kernel_names", "class", within(0, 1)},
    {"kernel_names", "uses_tc", within(0, 2)},
    {"iterations", "number", {Rule::kIteration, 0}},
    {"ops", "id", {Rule::kRising}},
    {"ops", "op", refers("op_identities", 0)},
    {"ops", "parent_op", {Rule::kEarlier, -1}},
    {"ops", "signature", refers("signatures")},
    {"ops", "caller_layer", refers("layers", kCallerOfSameLayer)},
    {"ops", "work", refers("works", -2)},
    {"op_extras", "id", {Rule::kRising}},
    {"op_extras", "collective", refers("collectives")},
    {"op_work", "id", {Rule::kRising}},
    {"op_work", "device", refers("devices", -2)},
    {"api_calls", "id", {Rule::kRising}},
    {"module_calls", "id", {Rule::kRising}},
    {"module_calls", "layer", refers("layers")},
    {"annotations", "id", {Rule::kRising}},
    {"other_spans", "id", {Rule::kRising}},
    {"nvtx_ranges", "id", {Rule::kRising}},
    {"nvtx_ranges", "end_track", refers("tracks")},
    {"nvtx_ranges", "attributes", refers("nvtx_attributes")},
    {"nvtx_payloads", "id", {Rule::kRising}},
    {"messages", "id", {Rule::kRising}},
    {"messages", "rank", {}},
    {"call_chains", "id", {Rule::kRising}},
    {"op_counters", "id", {Rule::kRising}},
    {"device_spans", "kind", within(0, 6)},
    {"device_spans", "op", refers("op_identities")},
    {"device_spans", "config", refers("launch_configs")},
    {"device_spans", "collective", refers("collectives")},
    {"device_spans", "transfer", refers("transfers")},
    {"device_spans", "work", refers("works")},
    {"device_extras", "id", {Rule::kRising}},
    {"memory_events", "device", {}},
    {"memory_events", "bytes", within(-kMostMemoryBytes, kMostMemoryBytes)},
    {"op_stats", "op", refers("op_identities", 0)},
    {"op_stats", "device", refers("devices", -2)},
    {"stream_stats", "stream", refers("tracks", 0)},
    {"works", "kind", within(0, 4)},
    {"works", "precision", within(0, 8)},
    {"diagnostic_places", "time_ns", {}},
    {"device_peaks", "precision", within(0, 8)},
    {"work_stats", "op", refers("op_identities")},
    {"work_stats", "kernel", refers("kernel_names")},
    {"work_stats", "work", refers("works", -2)},
    {"comm_groups", "kind", within(0, 6)},
    {"collective_calls", "comm_group", refers("comm_groups", 0)},
    {"collective_calls", "kernel", refers("kernel_names")},
    {"collective_calls", "collective", refers("collectives")},
    {"collective_calls", "state", within(0, 4)},
    {"collective_calls", "last_rank", refers("ranks")},
    {"collective_calls", "cause", within(-1, 9)},
    {"collective_calls", "cause_op", refers("op_identities")},
    {"collective_members", "call", refers("collective_calls", 0)},
    {"model_groups", "id", {Rule::kUnique, 0, INT32_MAX}},
    {"model_groups", "parent", {Rule::kParent, -1}},
    {"model_groups", "layer", refers("layers")},
    {"model_nodes", "id", {Rule::kUnique, 0, INT32_MAX}},
    {"model_nodes", "grp", refers("model_groups")},
    {"model_nodes", "layer", refers("layers")},
    {"model_nodes", "how", within(0, 2)},
    {"model_edges", "from_node", refers("model_nodes", 0)},
    {"model_edges", "to_node", refers("model_nodes", 0)},
    {"model_calls", "node", refers("model_nodes", 0)},
};

}  // namespace

ValueRule value_rule(const Table& table, const Column& column) {
    for (const Named& named : kNamed)
        if (named.table == table.name && named.column == column.name) return named.rule;
    if (column.type == duck::Type::kVarchar) return {};  // a model names its device
    if (column.name == "id") return {Rule::kNumber};
    if (column.name == "rank") return refers("ranks");
    if (column.name == "track") return refers("tracks");
    if (column.name == "device") return refers("devices");
    if (column.name == "iteration") return {Rule::kIteration, -1};
    if (column.type != duck::Type::kBigint || column.unit != "ns") return {};
    return within(column.name == "dur_ns" ? 0 : -kMaxNs, kMaxNs);
}

}  // namespace opsight::db
