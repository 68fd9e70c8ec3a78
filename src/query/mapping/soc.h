// A network on a machine of several engines: every layer mapped onto each engine, and which engine runs what.
#pragma once

#include <string>
#include <vector>

#include "map/assignment.h"
#include "model/model_graph.h"
#include "query/ask/result_table.h"
#include "query/mapping/network_search.h"

namespace opsight::query {

struct EngineOfSoc {
    std::string name;
    double clock_hz = 0;
    NetworkMapping mapping;  // of the same layers on each
};

struct LinkOfSoc {
    double bytes_per_s = 0, latency_s = 0, pj_per_byte = 0;
};

struct MachineOfSoc {
    std::string name;
    std::vector<EngineOfSoc> engines;
    std::vector<LinkOfSoc> links;  // [from * engines + to]
    size_t host = 0;               // has the inputs and needs the outputs
};

struct SocTask {
    std::string name, op_type;
    bool has_layers = false;  // products that were mapped
};

struct SocMapping {
    std::string network;
    MachineOfSoc machine;
    map::Objective objective = map::Objective::kDelay;
    std::vector<SocTask> tasks;   // the inputs first, the outputs last
    map::TaskGraph time, energy;  // s, pJ
    map::Assignment assignment;   // with the least of the objective
    std::vector<std::string> notes;

    const map::TaskGraph& goal() const { return objective == map::Objective::kDelay ? time : energy; }
    // Of everything on one engine, but for the inputs and outputs, which stay with the host.
    std::vector<size_t> all_on(size_t engine) const;
};

// The machine's mappings are of network_layers(graph); the objective is delay or energy. An op without a
// mapping costs nothing, wherever it runs; what it hands on counts.
Result<SocMapping> map_soc(const ModelGraph& graph, MachineOfSoc machine, map::Objective objective);

// A row for each op that has a mapping or that data comes to: where it runs, what that and the transfers
// cost, and what it would cost on each engine.
ResultTable soc_layer_table(const SocMapping& soc);
// A row for what was chosen, and for everything on each engine alone.
ResultTable soc_total_table(const SocMapping& soc);
// What is not in the sums.
ResultTable soc_unmapped_table(const SocMapping& soc);

}  // namespace opsight::query
