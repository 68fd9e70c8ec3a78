#include "map/hops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "map/traffic.h"

namespace opsight::map {
namespace {

constexpr int64_t kMostInstances = 1 << 20;  // that are looked at one by one

// Loops along one axis of the mesh, from the innermost: how far a step of each moves the tile.
struct AlongAxis {
    std::vector<Move> moves;
    std::vector<int64_t> counts;
    int64_t used = 1;

    // Where the tile of the instance at this place of the axis is.
    Move tile_at(int64_t place) const {
        Move at{};
        for (size_t i = 0; i < counts.size(); ++i) {
            for (size_t axis = 0; axis < at.size(); ++axis)
                at[axis] += moves[i][axis] * (place % counts[i]);
            place /= counts[i];
        }
        return at;
    }
};

struct Spread {
    AlongAxis x, y;
};

Spread spread_of(const DataSpace& space, const Mapping& mapping, size_t level) {
    std::array<int64_t, kMaxDimensions> extents;
    extents.fill(1);
    Spread spread;
    for (size_t i = 0; i <= level; ++i)
        for (const Loop& loop : mapping.levels[i].loops) {
            const Stride stride{loop.dimension, loop.count, extents[loop.dimension]};
            extents[loop.dimension] *= loop.count;
            if (i < level || loop.across == Across::kTime) continue;
            AlongAxis& along = loop.across == Across::kX ? spread.x : spread.y;
            along.moves.push_back(move_of(space, stride));
            along.counts.push_back(loop.count);
            along.used *= loop.count;
        }
    return spread;
}

// An instance, and the words that it needs.
struct Instance {
    Move tile;
    int64_t column = 0, row = 0;
    auto operator<=>(const Instance&) const = default;
};

// By the words that they need, then by columns.
std::vector<Instance> instances_of(const Spread& spread) {
    std::vector<Move> rows;
    for (int64_t y = 0; y < spread.y.used; ++y)
        rows.push_back(spread.y.tile_at(y));
    std::vector<Instance> instances;
    for (int64_t x = 0; x < spread.x.used; ++x) {
        const Move column = spread.x.tile_at(x);
        for (int64_t y = 0; y < spread.y.used; ++y) {
            instances.push_back({column, x, y});
            for (size_t axis = 0; axis < column.size(); ++axis)
                instances.back().tile[axis] += rows[y][axis];
        }
    }
    std::sort(instances.begin(), instances.end());
    return instances;
}

}  // namespace

std::optional<double> average_hops(const Problem& problem, const Architecture& architecture,
                                   const Mapping& mapping, size_t level, size_t space) {
    const Spread spread = spread_of(problem.spaces[space], mapping, level);
    if (spread.x.used > kMostInstances / spread.y.used) return std::nullopt;
    const std::vector<Instance> instances = instances_of(spread);
    const double middle = static_cast<double>(architecture.fanout(level).y - 1) / 2;
    double links = 0, words = 0;
    for (size_t first = 0, next = 0; first < instances.size(); first = next) {
        const Instance& begin = instances[first];
        while (next < instances.size() && instances[next].tile == begin.tile &&
               instances[next].column == begin.column)
            ++next;
        // Up and down from the middle to the rows furthest away.
        links += std::max(0.0, middle - static_cast<double>(begin.row)) +
                 std::max(0.0, static_cast<double>(instances[next - 1].row) - middle);
        if (next < instances.size() && instances[next].tile == begin.tile) continue;
        links += static_cast<double>(begin.column);
        ++words;
    }
    return links / words;
}

}  // namespace opsight::map
