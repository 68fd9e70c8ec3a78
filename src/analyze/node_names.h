// Nodes of a network by the names that runtimes give what they made of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/model_graph.h"

namespace opsight::analyze {

class NodeNames {
  public:
    // Both must outlive it. `types`: plain types beside the graph's nodes. Cost: one pass over the nodes.
    NodeNames(const ModelGraph& graph, const std::vector<std::string>& types);

    // The node of that name; -1: none.
    int32_t named(std::string_view path) const;
    // The node of one of these types that ran as a layer of this name: the node of the name, or that of a
    // result of the name; or, where an activation or a norm was fused into it, the node before these. -1:
    // none.
    int32_t ran_as(std::string_view layer, const std::vector<std::string_view>& types) const;

  private:
    int32_t before(int32_t node) const;

    const ModelGraph& graph_;
    const std::vector<std::string>& types_;
    std::map<std::string, int32_t, std::less<>> by_name_, by_result_;
    std::vector<int32_t> maker_;  // beside the tensors
};

}  // namespace opsight::analyze
