#include "query/model/mappings.h"

#include <fmt/format.h>

#include "map/hops.h"

namespace opsight::query {
namespace {

class LevelRows {
  public:
    explicit LevelRows(const MappingAnswer& answer) : answer_(answer) {}

    ResultTable table() {
        ResultTable out = no_mapping_levels();
        add(answer_.architecture.compute.name, {}, answer_.evaluation.compute_instances, nullptr,
            answer_.evaluation.compute_pj, out);
        for (size_t i = 0; i < answer_.evaluation.levels.size(); ++i)
            add_level(answer_.architecture.levels[i].name, answer_.evaluation.levels[i], out);
        return out;
    }

  private:
    void add_level(const std::string& name, const map::LevelStats& level, ResultTable& out) const {
        for (size_t space = 0; space < level.spaces.size(); ++space)
            if (level.spaces[space].kept)
                add(name, answer_.problem.spaces[space].name, level.instances, &level.spaces[space],
                    level.spaces[space].energy_pj, out);
        if (level.leak_pj > 0) add(name, "leakage", level.instances, nullptr, level.leak_pj, out);
    }

    void add(const std::string& level, Cell space, int64_t instances, const map::SpaceStats* stats, double pj,
             ResultTable& out) const {
        std::vector<Cell> row(out.columns.size());
        row[0] = level;
        row[1] = std::move(space);
        row[2] = instances;
        if (stats != nullptr) {
            row[3] = stats->tile;
            row[4] = stats->reads;
            row[5] = stats->fills;
            row[6] = stats->updates;
            row[7] = stats->temporal_reductions;
            row[8] = stats->partition;
            row[9] = stats->read_bandwidth;
            row[10] = stats->write_bandwidth;
        }
        row[11] = pj;
        const double all = answer_.evaluation.energy_pj;
        if (all > 0) row[12] = 100 * pj / all;
        out.rows.push_back(std::move(row));
    }

    const MappingAnswer& answer_;
};

}  // namespace

std::vector<EnergySource> energy_sources(const map::Architecture& architecture) {
    std::vector<EnergySource> out = {{architecture.compute.name, architecture.compute.energy_source}};
    for (const map::Level& level : architecture.levels)
        if (!level.dummy) out.push_back({level.name, level.energy_source});
    return out;
}

std::string energy_words(double pj) {
    if (pj >= 1e9) return fmt::format("{:.4g} mJ", pj * 1e-9);
    if (pj >= 1e6) return fmt::format("{:.4g} uJ", pj * 1e-6);
    return pj >= 1e3 ? fmt::format("{:.4g} nJ", pj * 1e-3) : fmt::format("{:.4g} pJ", pj);
}

ResultTable no_mapping_levels() {
    ResultTable out{"map_levels", "Levels"};
    out.columns = {{"level", "Level"},
                   {"data_space", "Data Space"},
                   {"instances", "Instances", Unit::kCount},
                   {"tile_words", "Tile (words)", Unit::kCount},
                   {"reads", "Reads per Instance", Unit::kCount},
                   {"fills", "Fills per Instance", Unit::kCount},
                   {"updates", "Updates per Instance", Unit::kCount},
                   {"temporal_reductions", "Temporal Reductions per Instance", Unit::kCount, 4},
                   {"partition_words", "Partition (words)", Unit::kCount, 4},
                   {"read_words_per_cycle", "Read (words/cycle/instance)", Unit::kNone, 3, Role::kNumber},
                   {"write_words_per_cycle", "Write (words/cycle/instance)", Unit::kNone, 3, Role::kNumber},
                   {"energy_pj", "Energy (pJ)", Unit::kNone, 0, Role::kNumber},
                   {"energy_percent", "Energy (%)", Unit::kPercent}};
    return out;
}

ResultTable mapping_levels(const MappingAnswer& answer) {
    return LevelRows(answer).table();
}

ResultTable mapping_networks(const MappingAnswer& answer) {
    ResultTable out{"map_networks", "Networks"};
    out.columns = {{"level", "From"},
                   {"data_space", "Data Space"},
                   {"fanout", "Instances Below", Unit::kCount},
                   {"words", "Words per Instance", Unit::kCount},
                   {"multicast", "Multicast", Unit::kNone, 0, Role::kNumber},
                   {"spatial_reductions", "Spatial Reductions", Unit::kCount},
                   {"hops", "Hops per Word", Unit::kNone, 0, Role::kNumber}};
    for (size_t i = 0; i < answer.evaluation.networks.size(); ++i)
        for (size_t space = 0; space < answer.problem.spaces.size(); ++space) {
            const map::NetworkStats& network = answer.evaluation.networks[i][space];
            if (network.words == 0) continue;
            out.rows.push_back({answer.architecture.levels[i].name,
                                answer.problem.spaces[space].name,
                                network.fanout,
                                network.words,
                                network.multicast,
                                network.spatial_reductions,
                                {}});
            if (const std::optional<double> hops =
                    map::average_hops(answer.problem, answer.architecture, answer.mapping, i, space))
                out.rows.back().back() = *hops;
        }
    return out;
}

}  // namespace opsight::query
