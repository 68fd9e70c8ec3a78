// Finds the ops of a network among those that a program ran: by the names of layers where both name them,
// else by type and order, helped by shapes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/model_groups.h"

namespace opsight::analyze {

enum class MatchHow : uint8_t {
    kNone,
    kName,   // the layer, or the op itself, bears the node's name
    kOrder,  // type, place in the order and shapes agree
};

// A distinct op of the profile.
struct RunOp {
    std::string name, type;  // "aten::conv2d", "conv2d"
    std::string layer;       // its path; empty: none
    int32_t layer_id = -1;
    std::string shapes;  // JSON text of the source; empty: not told
};

struct NodeMatch {
    int32_t node = -1;
    MatchHow how = MatchHow::kNone;
};

class ModelMatcher {
  public:
    // All three must outlive it. Cost: a pass over the nodes and one over the ops.
    ModelMatcher(const ModelGraph& graph, const ModelGroups& groups, const std::vector<RunOp>& ops);

    // Whether the op is one that a network's file may hold: only such ones, the outermost of them, belong
    // into a pass.
    bool takes_part(int32_t op) const { return !types_[static_cast<size_t>(op)].empty() || is_named(op); }
    // Whether the op bears the whole name of a node, as TensorFlow's do.
    bool is_named(int32_t op) const { return direct(op) >= 0; }
    // What each op of a forward pass is, in the order in which they began. Ops that ran the network several
    // times over are told apart. Cost: the length of the pass times the number of nodes.
    std::vector<NodeMatch> match(const std::vector<int32_t>& pass) const;
    // Layer of the profile that bears the module path; -1: none or several.
    int32_t layer_of(const std::string& path) const;
    // The batch that the network runs with where the op is the node; 0: the shapes do not tell.
    int64_t batch_of(int32_t op, int32_t node) const;

  private:
    int32_t direct(int32_t op) const { return direct_[static_cast<size_t>(op)]; }
    void match_once(const int32_t* pass, size_t count, NodeMatch* out) const;
    void match_greedily(const int32_t* pass, size_t count, NodeMatch* out) const;
    int score(int32_t op, int32_t node) const;
    bool same_layer(int32_t op, int32_t node) const;
    bool ran_at_own_sizes(int32_t node, const std::vector<std::vector<int64_t>>& shapes) const;
    size_t round_length(const std::vector<int32_t>& pass) const;
    void find_layers(const std::vector<RunOp>& ops);

    const ModelGraph& graph_;
    const std::vector<RunOp>& ops_;
    std::vector<int32_t> nodes_;                             // those that take part
    std::vector<std::string> node_types_;                    // beside the graph's nodes, in plain form
    std::vector<std::vector<std::string_view>> types_;       // beside ops_: node types that each may be
    std::vector<std::vector<std::vector<int64_t>>> shapes_;  // beside ops_
    std::vector<int32_t> direct_;                            // beside ops_: node of that very name; -1: none
    std::vector<int32_t> node_layer_;                        // beside the nodes: layer of that name; -1: none
    std::map<std::string, int32_t, std::less<>> layers_;  // by path and by path without its root; -2: several
    size_t products_ = 0;                                 // nodes with weights that multiply
    bool own_sizes_ = false;  // the network ran with the sizes of the file, by an op that bears a node's name
};

}  // namespace opsight::analyze
