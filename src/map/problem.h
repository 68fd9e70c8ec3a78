// What is computed: a loop nest over named dimensions, and the tensors (data spaces) that each of its steps
// touches, as projections of the dimensions: O[k][p] += W[k][c][r] * I[c][stride*p + dilation*r].
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace opsight::map {

// More than any problem that was ever published has; so that the analysis keeps what it counts in arrays.
inline constexpr int kMaxDimensions = 16, kMaxSpaces = 8, kMaxAxes = 8, kMaxLevels = 16;

struct Dimension {
    std::string name;
    int64_t bound = 1;
};

// One part of the index of an axis: coefficient (a stride or dilation) times a dimension.
struct Term {
    int dimension = 0;
    int64_t coefficient = 1;
};

struct DataSpace {
    std::string name;
    std::vector<std::vector<Term>> axes;
    bool written = false;  // it is summed up, so it is read and written
};

struct Problem {
    std::string name;
    std::vector<Dimension> dimensions;
    std::vector<DataSpace> spaces;

    int dimension(std::string_view wanted) const;  // its place; -1: there is none
    int space(std::string_view wanted) const;
    // Steps of the loop nest: multiply-adds of a convolution or product.
    int64_t computes() const;
};

// Refuses what cannot be counted in 64 bits, and what has more parts than the analysis takes.
Status check(const Problem& problem);

// Points along one axis of a tile that is `extents` long in each dimension.
int64_t axis_size(const std::vector<Term>& axis, const int64_t* extents);
// Words of a data space in such a tile.
int64_t tile_size(const DataSpace& space, const int64_t* extents);

}  // namespace opsight::map
