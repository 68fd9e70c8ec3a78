// Which ops of a profile file ran the nodes of a network.
#pragma once

#include <optional>
#include <vector>

#include "analyze/model_match.h"
#include "base/duckdb.h"
#include "base/result.h"
#include "hardware/precision.h"

namespace opsight::db {

struct ModelCall {
    int32_t node, op;  // ops.id
    bool backward;
};

struct ModelCalls {
    std::vector<ModelCall> calls;
    std::vector<analyze::MatchHow> how;  // beside the nodes
    std::vector<int32_t> layer;          // beside the nodes: layers.id of that name; -1: none
    std::vector<int32_t> group_layer;
    int64_t batch = 0;                             // that the network ran with; 0: shapes do not tell
    std::optional<hardware::Precision> precision;  // of its products, where the types of inputs tell
};

Result<ModelCalls> find_model_calls(duck::Connection& connection, const ModelGraph& graph,
                                    const analyze::ModelGroups& groups);

}  // namespace opsight::db
