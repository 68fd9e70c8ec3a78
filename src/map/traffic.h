// How many words of a data space a tile must be filled with, over all loops around it, and how many of the
// instances that work side by side need different words.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "map/mapping.h"

namespace opsight::map {

// How far one step of a loop moves a tile, along each axis of a data space.
using Move = std::array<int64_t, kMaxAxes>;

// A loop, and how many points of its dimension one of its steps takes.
struct Stride {
    int dimension = 0;
    int64_t count = 1, step = 1;
};

Move move_of(const DataSpace& space, const Stride& loop);

// Words filled into one tile of the given extents by loops in time, from the innermost.
int64_t filled(const DataSpace& space, const int64_t* extents, const std::vector<Stride>& loops);

// At least so many, whatever the order of the loops of each level, from the innermost.
int64_t least_filled(const DataSpace& space, const int64_t* extents,
                     const std::vector<const std::vector<Stride>*>& levels);

// How many different places a tile is at among the instances that spatial loops spread it to.
// None: too many that overlap to look at each.
std::optional<int64_t> distinct_places(const DataSpace& space, const std::vector<Stride>& loops);

}  // namespace opsight::map
