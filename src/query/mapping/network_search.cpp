#include "query/mapping/network_search.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>

#include "base/task_group.h"

namespace opsight::query {
namespace {

LayerMapping map_layer(const map::Problem& problem, const Accelerator& on,
                       const map::SearchSettings& settings) {
    if (settings.stop != nullptr && settings.stop->load()) return {{}, "the search was stopped before it"};
    if (const Status good = map::check(problem); !good) return {{}, good.error().what};
    Result<map::SearchResult> found = map::search(problem, on.architecture, on.constraints, settings);
    if (!found) return {{}, found.error().what};
    return {*std::move(found), {}};
}

// The largest first, so that no thread ends up with one of them when the others are done.
std::vector<size_t> by_size(const std::vector<NetworkLayer>& layers) {
    std::vector<size_t> order(layers.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return layers[a].nest.macs() > layers[b].nest.macs(); });
    return order;
}

}  // namespace

bool NetworkMapping::complete() const {
    return layers.only.empty() && layers.unmapped.empty() && all_found();
}

bool NetworkMapping::all_found() const {
    return std::all_of(mappings.begin(), mappings.end(),
                       [](const auto& each) { return each.found.has_value(); });
}

NetworkMapping map_network(NetworkLayers layers, const std::vector<Accelerator>& accelerators,
                           const map::SearchSettings& settings, const LayersDone& done) {
    NetworkMapping out;
    out.layers = std::move(layers);
    out.settings = settings;
    if (!accelerators.empty()) out.architecture = accelerators.front().architecture;
    const size_t count = out.layers.layers.size();
    out.mappings.resize(count);
    map::SearchSettings each = settings;
    each.progress = nullptr;
    const auto beside = static_cast<size_t>(std::max(1, settings.threads));
    each.threads = static_cast<int>(std::max<size_t>(1, beside / std::max<size_t>(count, 1)));
    const std::vector<size_t> order = by_size(out.layers.layers);
    std::atomic<size_t> next{0};
    std::mutex mutex;
    size_t finished = 0;
    const auto work = [&] {
        for (size_t i = next++; i < count; i = next++) {
            const size_t at = order[i];
            out.mappings[at] = map_layer(out.layers.layers[at].problem, accelerators[at], each);
            const std::lock_guard lock(mutex);
            ++finished;
            if (done) done(finished, count);
        }
    };
    TaskGroup threads;
    for (size_t i = 1; i < std::min(beside, count); ++i)
        threads.start_beside(work);
    work();
    threads.join();
    out.stopped = settings.stop != nullptr && settings.stop->load();
    return out;
}

NetworkTotals totals_of(const NetworkMapping& network) {
    NetworkTotals totals;
    double roots = 0;  // of the layers' bounds of EDP
    for (size_t i = 0; i < network.mappings.size(); ++i) {
        if (!network.mappings[i].found) continue;
        const map::SearchResult& found = *network.mappings[i].found;
        const auto count = static_cast<double>(network.layers.layers[i].count);
        totals.cycles += count * static_cast<double>(found.evaluation.cycles);
        totals.energy_pj += count * found.evaluation.energy_pj;
        totals.macs += count * static_cast<double>(found.evaluation.computes);
        totals.last_level_words += count * static_cast<double>(found.evaluation.last_level_words);
        totals.bound += count * found.bound;
        roots += count * std::sqrt(found.bound);
        totals.proven += found.proven ? 1 : 0;
    }
    const auto units = static_cast<double>(network.architecture.compute.mesh.instances());
    if (totals.cycles > 0) totals.utilization = totals.macs / (totals.cycles * units);
    switch (network.settings.objective) {
        case map::Objective::kEnergy:
            totals.cost = totals.energy_pj;
            break;
        case map::Objective::kDelay:
            totals.cost = totals.cycles;
            break;
        case map::Objective::kLastLevel:
            totals.cost = totals.last_level_words;
            break;
        case map::Objective::kEdp:
            totals.cost = totals.edp();
            // (sum of E)(sum of D) >= (sum of the roots of E * D) squared, by Cauchy and Schwarz.
            totals.bound = roots * roots;
            break;
    }
    return totals;
}

bool all_proven(const NetworkMapping& network, const NetworkTotals& totals) {
    return totals.proven == static_cast<int64_t>(network.mappings.size());
}

bool is_proven(const NetworkMapping& network, const NetworkTotals& totals) {
    return all_proven(network, totals) &&
           (network.settings.objective != map::Objective::kEdp || network.mappings.size() == 1);
}

}  // namespace opsight::query
