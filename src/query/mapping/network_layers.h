// The layers of a network that accelerators run: its products as loop nests (cost/loop_nests.h), each that is
// there several times once, and what is none.
#pragma once

#include <string>
#include <vector>

#include "cost/loop_nests.h"
#include "map/problem.h"
#include "model/model_graph.h"

namespace opsight::query {

struct NetworkLayer {
    std::string name;  // of the first op that has this nest; "attention: scores" of an op of several
    std::string op_type;
    cost::LoopNest nest;
    map::Problem problem;
    int64_t count = 0;  // runs in one run of the network

    double macs() const { return nest.macs() * static_cast<double>(count); }
    // "C64 K64 P56 Q56 R3 S3 /2": sizes above 1, then stride and dilation.
    std::string shape() const;
};

// Ops of one type that are left out for one reason.
struct UnmappedOps {
    std::string name;  // of the first
    std::string op_type, reason;
    int64_t count = 0;
    double macs = 0, flops = 0;
    bool known = true;  // false: their work is not known
};

struct NetworkLayers {
    std::string name, format;
    std::vector<NetworkLayer> layers;   // in the order of their first runs
    std::vector<UnmappedOps> unmapped;  // but for what costs nothing: views, what depends on constants alone
    std::vector<std::string> notes;     // what was assumed
    std::string only;                   // the one layer that was asked for; empty: all of them
    double left_out_macs = 0;           // of the layers that were not

    // Leaves out all other layers, and what is none; false: there is none of that name.
    bool keep_only(const std::string& layer);
    std::string title() const;     // "resnet50", "layer conv1 alone of resnet50"
    double macs() const;           // of the layers
    double unmapped_macs() const;  // known ones
};

NetworkLayers network_layers(const ModelGraph& graph);

// Its dimensions are G N C K P Q R S, its data spaces Weights, Inputs and Outputs.
map::Problem problem_of(const cost::LoopNest& nest, std::string name);

}  // namespace opsight::query
