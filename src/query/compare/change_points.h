// Where a series changes: E-divisive, a division of it in two again and again where the parts differ most, as
// long as a permutation test says that chance does not explain it (Matteson and James, "A Nonparametric
// Approach for Multiple Change Point Analysis of Multivariate Data", JASA 109, 2014).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace opsight::query {

struct ChangePoint {
    size_t at = 0;                  // the first value after it
    double p = 1;                   // of the permutation test that found it
    int64_t before = 0, after = 0;  // medians of what lies between it and its neighbours
};

// The fewest values between two change points: a single slow run is none.
inline constexpr size_t kLeastBetweenChanges = 3;

// In their order. The same values give the same answer: the permutations are always the same. Each search
// costs the square of the count, a thousand times.
std::vector<ChangePoint> find_change_points(std::span<const int64_t> series);

}  // namespace opsight::query
