// Adds a network to a profile file: its graph, what its nodes must cost, and which ops of the profile ran
// them.
#pragma once

#include <string>

#include "base/result.h"
#include "model/model_graph.h"

namespace opsight::db {

struct AddedModel {
    size_t nodes = 0;    // that run
    size_t by_name = 0;  // found by the names of layers or ops
    size_t by_order = 0;
    double macs = 0, matched_macs = 0;  // of products
    size_t matched() const { return by_name + by_order; }
};

// `file` is shown as the network's name. A network that the profile has already is replaced. All or nothing:
// after a failure the profile is as it was. Cost: a pass over the ops in memory (40 bytes each).
Result<AddedModel> add_model(const std::string& path, const ModelGraph& graph, const std::string& file);

}  // namespace opsight::db
