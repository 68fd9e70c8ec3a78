#include "map/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "map/traffic.h"

namespace opsight::map {
namespace {

using Extents = std::array<int64_t, kMaxDimensions>;

// A level's loops with their strides, and the tiles around them.
struct LevelLoops {
    std::vector<Stride> across, in_time;
    Extents spread{};  // of the tile that all instances below hold together
    Extents tile{};
    int64_t fanout = 1;
    int64_t instances = 1;  // of the level, in use
};

std::vector<LevelLoops> unfold(const Mapping& mapping) {
    std::vector<LevelLoops> levels(mapping.levels.size());
    Extents extents;
    extents.fill(1);
    for (size_t i = 0; i < levels.size(); ++i) {
        levels[i].spread = extents;
        for (const Loop& loop : mapping.levels[i].loops) {
            const Stride stride{loop.dimension, loop.count, extents[loop.dimension]};
            extents[loop.dimension] *= loop.count;
            if (loop.across == Across::kTime) {
                levels[i].in_time.push_back(stride);
            } else {
                levels[i].across.push_back(stride);
                levels[i].fanout *= loop.count;
                levels[i].spread = extents;
            }
        }
        levels[i].tile = extents;
    }
    for (size_t i = levels.size() - 1; i-- > 0;)
        levels[i].instances = levels[i + 1].instances * levels[i + 1].fanout;
    return levels;
}

int64_t in_blocks(int64_t words, int64_t block) {
    return (words + block - 1) / block;
}

// One data space through all levels.
class SpaceFlow {
  public:
    SpaceFlow(const Problem& problem, size_t space, const Mapping& mapping,
              const std::vector<LevelLoops>& levels, size_t open)
        : space_(problem.spaces[space]), index_(space), mapping_(mapping), levels_(levels), open_(open) {
        outermost_ = levels.size() - 1;
        while (outermost_ > 0 && !mapping.levels[outermost_].keeps(space))
            --outermost_;
    }

    void count(int64_t compute_cycles, Evaluation& into) const {
        std::vector<int64_t> partitions(levels_.size());
        for (size_t i = levels_.size(); i-- > 0;)
            partitions[i] = partition(i, i + 1 < levels_.size() ? partitions[i + 1] : 0);
        int64_t wanted = compute_cycles;  // words that one instance below asks for
        for (size_t i = 0; i < levels_.size(); ++i) {
            const LevelLoops& level = levels_[i];
            const int64_t places = distinct_places(space_, level.across);
            const int64_t given = wanted * places;
            NetworkStats& network = into.networks[i][index_];
            network.words = given;
            network.fanout = level.fanout;
            network.multicast = static_cast<double>(level.fanout) / static_cast<double>(places);
            if (space_.written) network.spatial_reductions = wanted * (level.fanout - places);
            if (i > outermost_) network = {};
            wanted = given;
            SpaceStats& stats = into.levels[i].spaces[index_];
            if (!mapping_.levels[i].keeps(index_)) continue;
            wanted = filled_into(i);
            account(given, i == outermost_ ? 0 : wanted, i == outermost_, partitions[i], stats);
            stats.tile = tile_size(space_, level.tile.data());
        }
    }

  private:
    // The part of the data that comes by one instance, if they share it out evenly.
    int64_t partition(size_t level, int64_t outer) const {
        const int64_t tile = tile_size(space_, levels_[level].tile.data());
        if (level + 1 == levels_.size()) return tile;
        const double shared = static_cast<double>(outer) * static_cast<double>(tile) /
                              static_cast<double>(tile_size(space_, levels_[level + 1].spread.data()));
        return static_cast<int64_t>(shared);
    }

    int64_t filled_into(size_t level) const {
        const int64_t* tile = levels_[level].tile.data();
        if (level + 1 < open_) {
            std::vector<const std::vector<Stride>*> above;
            for (size_t i = level + 1; i < levels_.size(); ++i)
                above.push_back(&levels_[i].in_time);
            return least_filled(space_, tile, above);
        }
        std::vector<Stride> above;
        for (size_t i = level + 1; i < levels_.size(); ++i)
            above.insert(above.end(), levels_[i].in_time.begin(), levels_[i].in_time.end());
        return filled(space_, tile, above);
    }

    void account(int64_t given, int64_t got, bool outermost, int64_t partition, SpaceStats& stats) const {
        stats.kept = true;
        stats.partition = partition;
        if (space_.written) {
            stats.updates = given;
            stats.reads = stats.temporal_reductions = std::max<int64_t>(given - partition, 0);
            stats.fills = outermost ? 0 : std::max<int64_t>(got - partition, 0);
        } else {
            stats.reads = given;
            stats.fills = got;
        }
    }

    const DataSpace& space_;
    size_t index_, outermost_ = 0;
    const Mapping& mapping_;
    const std::vector<LevelLoops>& levels_;
    size_t open_;  // levels inside of it have no order yet
};

Status check_capacity(const Level& described, const LevelStats& level) {
    const std::optional<int64_t> words = room(described);
    if (!words) return {};
    if (level.utilized > *words)
        return fail(fmt::format("the tiles at {} take {} words, it has room for {}", described.name,
                                level.utilized, *words),
                    {}, "level " + described.name,
                    "take smaller factors at it and inside of it, let it keep less, or give it more room");
    if (static_cast<double>(level.utilized) < static_cast<double>(*words) * described.min_utilization)
        return fail(fmt::format("the tiles at {} take {} of {} words, less than its least utilization, {}",
                                described.name, level.utilized, *words, described.min_utilization),
                    {}, "level " + described.name, "take larger factors, or a smaller min_utilization");
    return {};
}

double slowdown(std::optional<double> limit, double wanted) {
    return limit && *limit < wanted ? *limit / wanted : 1;
}

Status time_level(const Level& described, int64_t compute_cycles, LevelStats& level) {
    constexpr double kMost = 1e18;  // cycles that can be counted
    double reads = 0, writes = 0;
    for (const SpaceStats& space : level.spaces) {
        reads += static_cast<double>(space.reads) / static_cast<double>(compute_cycles);
        writes += static_cast<double>(space.updates + space.fills) / static_cast<double>(compute_cycles);
    }
    level.throttle =
        std::min({1.0, slowdown(described.read_bandwidth, reads), slowdown(described.write_bandwidth, writes),
                  slowdown(described.shared_bandwidth, reads + writes)});
    const double cycles = std::ceil(static_cast<double>(compute_cycles) / level.throttle);
    if (!(cycles < kMost))
        return fail(fmt::format("level {}: its bandwidth is so small that the cycles cannot be counted",
                                described.name),
                    {}, "level " + described.name, "give it a bandwidth in words per cycle");
    level.cycles = static_cast<int64_t>(cycles);
    for (SpaceStats& space : level.spaces) {
        const double per_cycle = level.throttle / static_cast<double>(compute_cycles);
        space.read_bandwidth = static_cast<double>(space.reads) * per_cycle;
        space.write_bandwidth = static_cast<double>(space.updates + space.fills) * per_cycle;
    }
    return {};
}

void charge_level(const Level& described, LevelStats& level) {
    const int64_t clusters = std::min(level.instances, described.mesh.instances() / described.cluster);
    for (SpaceStats& space : level.spaces)
        space.energy_pj =
            static_cast<double>(clusters) *
            (static_cast<double>(in_blocks(space.reads, described.block)) * described.read_pj +
             static_cast<double>(in_blocks(space.fills, described.block)) * described.write_pj +
             static_cast<double>(in_blocks(space.updates, described.block)) * described.update_pj);
    level.leak_pj =
        described.leak_pj * static_cast<double>(level.instances) * static_cast<double>(level.cycles);
}

void sum_up(const Architecture& architecture, Evaluation& result) {
    const ComputeUnit& compute = architecture.compute;
    result.cycles = result.compute_cycles;
    result.compute_pj = compute.compute_pj * static_cast<double>(result.computes);
    result.compute_area_um2 = compute.area_um2 * static_cast<double>(compute.mesh.instances());
    result.energy_pj = result.compute_pj;
    result.area_um2 = result.compute_area_um2;
    for (size_t i = 0; i < result.levels.size(); ++i) {
        const Level& level = architecture.levels[i];
        result.cycles = std::max(result.cycles, result.levels[i].cycles);
        result.energy_pj += result.levels[i].energy_pj();
        if (!level.dummy) result.area_um2 += level.area_um2 * static_cast<double>(level.mesh.instances());
    }
    for (const SpaceStats& space : result.levels.back().spaces)
        result.last_level_words += space.accesses() * result.levels.back().instances;
    result.utilization = static_cast<double>(result.computes) /
                         (static_cast<double>(result.cycles) * static_cast<double>(compute.mesh.instances()));
}

Result<Evaluation> work_out(const Problem& problem, const Architecture& architecture, const Mapping& mapping,
                            size_t open) {
    OPSIGHT_TRY(check(mapping, architecture, problem));
    const std::vector<LevelLoops> levels = unfold(mapping);
    Evaluation result;
    result.computes = problem.computes();
    result.compute_instances = levels[0].instances * levels[0].fanout;
    result.compute_cycles = result.computes / result.compute_instances;
    result.levels.resize(levels.size());
    result.networks.assign(levels.size(), std::vector<NetworkStats>(problem.spaces.size()));
    for (size_t i = 0; i < levels.size(); ++i) {
        result.levels[i].instances = levels[i].instances;
        result.levels[i].spaces.resize(problem.spaces.size());
    }
    for (size_t space = 0; space < problem.spaces.size(); ++space)
        SpaceFlow(problem, space, mapping, levels, open).count(result.compute_cycles, result);
    for (size_t i = 0; i < levels.size(); ++i) {
        LevelStats& level = result.levels[i];
        for (const SpaceStats& space : level.spaces)
            level.utilized += space.tile;
        OPSIGHT_TRY(check_capacity(architecture.levels[i], level));
        OPSIGHT_TRY(time_level(architecture.levels[i], result.compute_cycles, level));
        charge_level(architecture.levels[i], level);
    }
    sum_up(architecture, result);
    return result;
}

}  // namespace

double LevelStats::energy_pj() const {
    double sum = leak_pj;
    for (const SpaceStats& space : spaces)
        sum += space.energy_pj;
    return sum;
}

Result<Evaluation> evaluate(const Problem& problem, const Architecture& architecture,
                            const Mapping& mapping) {
    return work_out(problem, architecture, mapping, 0);
}

Result<Evaluation> least_of_any_order(const Problem& problem, const Architecture& architecture,
                                      const Mapping& mapping, size_t open) {
    return work_out(problem, architecture, mapping, open);
}

}  // namespace opsight::map
