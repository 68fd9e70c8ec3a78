#include "map/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "map/traffic.h"

namespace opsight::map {
namespace {

using LevelLoops = OrderCosts::LevelLoops;
using Extents = OrderCosts::Extents;

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

void account(const DataSpace& space, int64_t given, int64_t got, bool outermost, SpaceStats& stats) {
    if (space.written) {
        stats.updates = given;
        stats.reads = stats.temporal_reductions = std::max<int64_t>(given - stats.partition, 0);
        stats.fills = outermost ? 0 : std::max<int64_t>(got - stats.partition, 0);
    } else {
        stats.reads = given;
        stats.fills = got;
    }
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
    result.last_level_words = 0;
    for (const SpaceStats& space : result.levels.back().spaces)
        result.last_level_words += space.accesses() * result.levels.back().instances;
    result.utilization = static_cast<double>(result.computes) /
                         (static_cast<double>(result.cycles) * static_cast<double>(compute.mesh.instances()));
}

}  // namespace

double LevelStats::energy_pj() const {
    double sum = leak_pj;
    for (const SpaceStats& space : spaces)
        sum += space.energy_pj;
    return sum;
}

Result<OrderCosts> OrderCosts::make(const Problem& problem, const Architecture& architecture,
                                    const Mapping& mapping) {
    OPSIGHT_TRY(check(mapping, architecture, problem));
    OrderCosts costs(problem, architecture, mapping);
    OPSIGHT_TRY(costs.check_room());
    return costs;
}

OrderCosts::OrderCosts(const Problem& problem, const Architecture& architecture, const Mapping& mapping)
    : problem_(&problem), architecture_(&architecture), levels_(unfold(mapping)) {
    result_.computes = problem.computes();
    result_.compute_instances = levels_[0].instances * levels_[0].fanout;
    result_.compute_cycles = result_.computes / result_.compute_instances;
    result_.levels.resize(levels_.size());
    result_.networks.assign(levels_.size(), std::vector<NetworkStats>(problem.spaces.size()));
    counts_.resize(levels_.size() * problem.spaces.size());
    for (size_t i = 0; i < levels_.size(); ++i) {
        result_.levels[i].instances = levels_[i].instances;
        result_.levels[i].spaces.resize(problem.spaces.size());
    }
    for (size_t space = 0; space < problem.spaces.size(); ++space)
        place(space, mapping);
}

// What the order of loops in time does not change.
void OrderCosts::place(size_t space, const Mapping& mapping) {
    const DataSpace& data = problem_->spaces[space];
    size_t outermost = levels_.size() - 1;
    while (outermost > 0 && !mapping.levels[outermost].keeps(space))
        --outermost;
    outermost_.push_back(outermost);
    int64_t partition = 0;
    for (size_t i = levels_.size(); i-- > 0;) {
        const int64_t tile = tile_size(data, levels_[i].tile.data());
        // The part of the data that comes by one instance, if they share it out evenly.
        partition =
            i + 1 == levels_.size()
                ? tile
                : static_cast<int64_t>(static_cast<double>(partition) * static_cast<double>(tile) /
                                       static_cast<double>(tile_size(data, levels_[i + 1].spread.data())));
        counts_[i * problem_->spaces.size() + space].places =
            distinct_places(data, levels_[i].across).value_or(kUnknown);
        if (!mapping.levels[i].keeps(space)) continue;
        SpaceStats& stats = result_.levels[i].spaces[space];
        stats.kept = true;
        stats.partition = partition;
        stats.tile = tile;
        result_.levels[i].utilized += tile;
    }
}

Status OrderCosts::check_room() const {
    for (size_t i = 0; i < levels_.size(); ++i) {
        const Level& level = architecture_->levels[i];
        OPSIGHT_TRY(check_capacity(level, result_.levels[i]));
        for (size_t space = 0; space < problem_->spaces.size(); ++space)
            if (counts_[i * problem_->spaces.size() + space].places == kUnknown)
                return fail(fmt::format("below {} tiles of {} overlap at too many places to count each",
                                        level.name, problem_->spaces[space].name),
                            {}, "loops across " + level.name, "give smaller spatial factors");
    }
    return {};
}

void OrderCosts::reorder(size_t level, const LevelMapping& loops) {
    LevelLoops& own = levels_[level];
    own.in_time.clear();
    for (const Loop& loop : loops.loops)
        if (loop.across == Across::kTime)
            own.in_time.push_back({loop.dimension, loop.count, own.spread[loop.dimension]});
    // Levels from this one on are filled as before.
    std::for_each(counts_.begin(),
                  counts_.begin() + static_cast<std::ptrdiff_t>(level * problem_->spaces.size()),
                  [](Counts& counts) { counts.filled = kUnknown; });
}

int64_t OrderCosts::filled_into(size_t level, size_t space, size_t open) {
    Counts& counts = counts_[level * problem_->spaces.size() + space];
    const DataSpace& data = problem_->spaces[space];
    const int64_t* tile = levels_[level].tile.data();
    if (level + 1 < open) {
        if (counts.least_filled != kUnknown) return counts.least_filled;
        std::vector<const std::vector<Stride>*> above;
        for (size_t i = level + 1; i < levels_.size(); ++i)
            above.push_back(&levels_[i].in_time);
        return counts.least_filled = map::least_filled(data, tile, above);
    }
    if (counts.filled != kUnknown) return counts.filled;
    above_.clear();
    for (size_t i = level + 1; i < levels_.size(); ++i)
        above_.insert(above_.end(), levels_[i].in_time.begin(), levels_[i].in_time.end());
    return counts.filled = filled(data, tile, above_);
}

// One data space through all levels.
void OrderCosts::flow(size_t space, size_t open) {
    const DataSpace& data = problem_->spaces[space];
    int64_t wanted = result_.compute_cycles;  // words that one instance below asks for
    for (size_t i = 0; i < levels_.size(); ++i) {
        const int64_t fanout = levels_[i].fanout;
        const int64_t places = counts_[i * problem_->spaces.size() + space].places;
        const int64_t given = wanted * places;
        if (i <= outermost_[space]) {
            NetworkStats& network = result_.networks[i][space];
            network.words = given;
            network.fanout = fanout;
            network.multicast = static_cast<double>(fanout) / static_cast<double>(places);
            if (data.written) network.spatial_reductions = wanted * (fanout - places);
        }
        wanted = given;
        SpaceStats& stats = result_.levels[i].spaces[space];
        if (!stats.kept) continue;
        wanted = filled_into(i, space, open);
        const bool outermost = i == outermost_[space];
        account(data, given, outermost ? 0 : wanted, outermost, stats);
    }
}

Status OrderCosts::work_out(size_t open) {
    for (size_t space = 0; space < problem_->spaces.size(); ++space)
        flow(space, open);
    for (size_t i = 0; i < levels_.size(); ++i) {
        OPSIGHT_TRY(time_level(architecture_->levels[i], result_.compute_cycles, result_.levels[i]));
        charge_level(architecture_->levels[i], result_.levels[i]);
    }
    sum_up(*architecture_, result_);
    return {};
}

Result<Evaluation> evaluate(const Problem& problem, const Architecture& architecture,
                            const Mapping& mapping) {
    return least_of_any_order(problem, architecture, mapping, 0);
}

Result<Evaluation> least_of_any_order(const Problem& problem, const Architecture& architecture,
                                      const Mapping& mapping, size_t open) {
    OPSIGHT_ASSIGN(OrderCosts costs, OrderCosts::make(problem, architecture, mapping));
    OPSIGHT_TRY(costs.work_out(open));
    return std::move(costs).result();
}

}  // namespace opsight::map
