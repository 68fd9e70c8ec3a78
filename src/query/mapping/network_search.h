// The best mapping of every layer of a network onto one accelerator.
#pragma once

#include <functional>

#include "map/search.h"
#include "query/mapping/network_layers.h"

namespace opsight::query {

// What a layer may run on, and how.
struct Accelerator {
    map::Architecture architecture;
    map::Constraints constraints;  // for the layer's problem
};

struct LayerMapping {
    std::optional<map::SearchResult> found;
    std::string failure;  // why there is none
};

struct NetworkMapping {
    NetworkLayers layers;
    map::Architecture architecture;
    map::SearchSettings settings;
    std::vector<LayerMapping> mappings;  // of each layer
    bool stopped = false;                // before all were looked at

    // All that the network computes is in the sums.
    bool complete() const;
    // All that was asked for is.
    bool all_found() const;
};

// Sums over the layers that were mapped, each as often as it runs, one after another.
struct NetworkTotals {
    double cycles = 0, energy_pj = 0, macs = 0;
    double last_level_words = 0;
    double utilization = 0;  // of the units over all cycles
    // No choice of mappings has less of the objective; of EDP, which is the product of both sums.
    double cost = 0, bound = 0;
    int64_t proven = 0;  // layers

    double edp() const { return energy_pj * 1e-12 * cycles; }
};

// `done`, `of`: layers; called from the threads of the search, one at a time.
using LayersDone = std::function<void(size_t done, size_t of)>;

// `accelerators`: of each layer. Layers are looked at beside each other, as many as there are threads. Once
// `settings.stop` is true the layers that are left have no mapping.
NetworkMapping map_network(NetworkLayers layers, const std::vector<Accelerator>& accelerators,
                           const map::SearchSettings& settings, const LayersDone& done);

NetworkTotals totals_of(const NetworkMapping& network);
// Whether each layer has its least; and whether the sums are the network's, which of the product of two sums
// (EDP) that does not tell but for one layer.
bool all_proven(const NetworkMapping& network, const NetworkTotals& totals);
bool is_proven(const NetworkMapping& network, const NetworkTotals& totals);

}  // namespace opsight::query
