#include "query/mapping/network_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "query/model/mappings.h"

namespace opsight::query {
namespace {

Cell percent(double part, double of) {
    return of > 0 ? Cell(100 * part / of) : Cell();
}

double cost_of(const map::SearchResult& found, const map::SearchSettings& settings) {
    return map::cost_of(found.evaluation, settings.objective);
}

// How far the bound is below what was found; a share of nothing is none.
Cell gap_cell(double cost, double bound) {
    return cost > 0 ? Cell(100 * std::max(0.0, 1 - bound / cost)) : Cell();
}

std::string total_bound(const NetworkMapping& network, const NetworkTotals& totals) {
    if (!(totals.cost > 0)) return "-";
    const std::string_view name = name_of(network.settings.objective);
    const double gap = std::max(0.0, 100 - 100 * totals.bound / totals.cost);
    const bool all = all_proven(network, totals);
    if (network.settings.objective == map::Objective::kEdp)
        return fmt::format("{}; the least EDP of {} is at most {:.1f}% below",
                           all ? "each layer proven" : "not all proven",
                           network.layers.only.empty() ? "the network" : "the layer", gap);
    return all ? fmt::format("proven: no mappings of the layers have less {}", name)
               : fmt::format("not all proven: no mappings have more than {:.1f}% less {}", gap, name);
}

}  // namespace

Cell whole_cell(double value) {
    if (std::abs(value) < 9007199254740992.0 && value == std::floor(value))
        return static_cast<int64_t>(value);
    return value;
}

ResultTable network_layer_table(const NetworkMapping& network) {
    ResultTable out{"map_network_layers", "Layers"};
    out.columns = {{"layer", "Layer"},
                   {"op_type", "Op", Unit::kNone, 3},
                   {"shape", "Shape"},
                   {"count", "Runs", Unit::kCount},
                   {"macs", "MACs per Run", Unit::kCount, 2},
                   {"cycles", "Cycles per Run", Unit::kCount},
                   {"energy_pj", "Energy per Run (pJ)", Unit::kNone, 0, Role::kNumber},
                   {"edp_j_cycles", "EDP per Run (J*cycles)", Unit::kNone, 3, Role::kNumber},
                   {"utilization_pct", "Utilization (%)", Unit::kPercent},
                   {"gap_pct", "Gap (%)", Unit::kPercent},
                   {"proven", "Proven", Unit::kNone, 1, Role::kYesNo},
                   {"cycles_share_pct", "Cycles (%)", Unit::kPercent, 1},
                   {"energy_share_pct", "Energy (%)", Unit::kPercent, 1},
                   {"last_level_words", "Words of the Last Level per Run", Unit::kCount, 4},
                   {"macs_per_word", "MACs per Word", Unit::kNone, 4, Role::kNumber},
                   {"macs_per_cycle", "MACs per Cycle", Unit::kNone, 4, Role::kNumber}};
    const NetworkTotals totals = totals_of(network);
    for (size_t i = 0; i < network.mappings.size(); ++i) {
        const NetworkLayer& layer = network.layers.layers[i];
        std::vector<Cell> row(out.columns.size());
        row[0] = layer.name;
        row[1] = layer.op_type;
        row[2] = layer.shape();
        row[3] = layer.count;
        row[4] = whole_cell(layer.nest.macs());
        if (const auto& found = network.mappings[i].found) {
            const map::Evaluation& cost = found->evaluation;
            const auto count = static_cast<double>(layer.count), cycles = static_cast<double>(cost.cycles);
            row[5] = cost.cycles;
            row[6] = cost.energy_pj;
            row[7] = cost.edp();
            row[8] = 100 * cost.utilization;
            row[9] = gap_cell(cost_of(*found, network.settings), found->bound);
            row[10] = found->proven;
            row[11] = percent(count * cycles, totals.cycles);
            row[12] = percent(count * cost.energy_pj, totals.energy_pj);
            row[13] = cost.last_level_words;
            row[14] = layer.nest.macs() / static_cast<double>(cost.last_level_words);
            row[15] = layer.nest.macs() / cycles;
        }
        out.rows.push_back(std::move(row));
    }
    return out;
}

ResultTable network_total_table(const NetworkMapping& network) {
    ResultTable out{"map_network_totals", network.layers.title()};
    out.columns = {{"total", "Total"}, {"value", "Value"}};
    const NetworkTotals totals = totals_of(network);
    // Sums of one layer are whole as such.
    const bool whole = network.layers.only.empty() ? network.complete() : network.all_found();
    const char* least = whole ? "" : "at least ";
    const auto add = [&out](const char* name, std::string value) { out.rows.push_back({name, value}); };
    const size_t mapped =
        static_cast<size_t>(std::count_if(network.mappings.begin(), network.mappings.end(),
                                          [](const LayerMapping& each) { return each.found.has_value(); }));
    int64_t runs = 0;
    for (size_t i = 0; i < network.mappings.size(); ++i)
        if (network.mappings[i].found) runs += network.layers.layers[i].count;
    const double all = network.layers.macs() + network.layers.unmapped_macs() + network.layers.left_out_macs;
    add("Unique layers", fmt::format("{} of {} mapped, {} proven; {} runs", mapped, network.mappings.size(),
                                     totals.proven, runs));
    add("MACs", fmt::format("{:.0f} mapped, {:.1f}% of all that are counted", totals.macs,
                            all > 0 ? 100 * totals.macs / all : 100));
    if (mapped == 0) return out;
    add("Cycles", fmt::format("{}{:.0f}", least, totals.cycles));
    add("Energy", fmt::format("{}{}, {:.4g} pJ per MAC", least, energy_words(totals.energy_pj),
                              totals.energy_pj / totals.macs));
    add("EDP", fmt::format("{}{:.4g} J*cycles", least, totals.edp()));
    add("Utilization", fmt::format("{:.1f}% of {} units over the mapped layers' cycles",
                                   100 * totals.utilization, network.architecture.compute.mesh.instances()));
    add("Last level", fmt::format("{}{:.0f} words ({})", least, totals.last_level_words,
                                  network.architecture.levels.back().name));
    add("Bound", total_bound(network, totals));
    return out;
}

ResultTable network_unmapped_table(const NetworkMapping& network) {
    ResultTable out{"map_network_unmapped", "Not in the totals"};
    out.columns = {{"op_type", "Op"},
                   {"count", "Runs", Unit::kCount},
                   {"macs", "MACs", Unit::kCount},
                   {"flops", "FLOPs", Unit::kFlops},
                   {"reason", "Reason"},
                   {"first", "First", Unit::kNone, 1}};
    for (const UnmappedOps& ops : network.layers.unmapped)
        out.rows.push_back({ops.op_type, ops.count, ops.known ? whole_cell(ops.macs) : Cell(),
                            ops.known ? Cell(ops.flops) : Cell(), ops.reason, ops.name});
    for (size_t i = 0; i < network.mappings.size(); ++i) {
        const NetworkLayer& layer = network.layers.layers[i];
        if (!network.mappings[i].found)
            out.rows.push_back({layer.op_type, layer.count, whole_cell(layer.macs()), 2 * layer.macs(),
                                network.mappings[i].failure, layer.name});
    }
    return out;
}

Roofline roofline_of(const NetworkMapping& network) {
    Roofline out;
    if (network.architecture.levels.empty()) return out;
    const map::Level& last = network.architecture.levels.back();
    out.macs_per_cycle = static_cast<double>(network.architecture.compute.mesh.instances());
    out.word_bits = last.word_bits;
    // Reads and writes beside each other go up to both limits together.
    if (last.read_bandwidth && last.write_bandwidth)
        out.words_per_cycle = *last.read_bandwidth + *last.write_bandwidth;
    if (last.shared_bandwidth)
        out.words_per_cycle =
            std::min(*last.shared_bandwidth, out.words_per_cycle.value_or(*last.shared_bandwidth));
    if (out.words_per_cycle) *out.words_per_cycle *= static_cast<double>(last.mesh.instances());
    const NetworkTotals totals = totals_of(network);
    for (size_t i = 0; i < network.mappings.size(); ++i) {
        const auto& found = network.mappings[i].found;
        if (!found) continue;
        const NetworkLayer& layer = network.layers.layers[i];
        const auto cycles = static_cast<double>(found->evaluation.cycles);
        out.points.push_back({i, layer.nest.macs() / static_cast<double>(found->evaluation.last_level_words),
                              layer.nest.macs() / cycles,
                              static_cast<double>(layer.count) * cycles / totals.cycles});
    }
    return out;
}

}  // namespace opsight::query
