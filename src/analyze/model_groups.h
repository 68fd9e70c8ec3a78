// The groups of a network: the tree of modules or scopes that the names of its nodes tell of, cut so that no
// group holds more than can be looked at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/model_graph.h"

namespace opsight::analyze {

struct ModelGroup {
    std::string name;     // "conv1"; of a part that was cut: "ops 1 to 48"
    std::string path;     // "layer1/0/conv1"; of a part: that of the group around it
    int32_t parent = -1;  // -1: the network itself
    bool part = false;    // cut from a group that was too wide
};

struct ModelGroups {
    static constexpr size_t kWidest = 48;  // children of a group at most
    std::vector<ModelGroup> groups;        // parents before children
    std::vector<int32_t> group;            // beside the nodes: the innermost that is shown; -1: none
    std::vector<std::string> path;         // beside the nodes: of the module that runs it, "layer1/0/conv1"
    std::vector<std::string> label;        // beside the nodes: its name within the group that is shown
};

// "/layer1/layer1.0/conv1" is "layer1/0/conv1": parts are parted by '/' or '.', and what repeats the part
// before is left out.
std::string module_path(std::string_view text);

// Where names have no path, those of the weights tell it ("layer1.0.conv1.weight"), and nodes between two of
// one module belong to it. A module with one node alone is not a group.
ModelGroups group_nodes(const ModelGraph& graph);

}  // namespace opsight::analyze
