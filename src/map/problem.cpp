#include "map/problem.h"

#include <fmt/format.h>

#include <cstdlib>

namespace opsight::map {
namespace {

// Keeps a count of accesses, which is at most steps times coefficients, well inside 64 bits.
constexpr double kMostAccesses = 1e18;
constexpr const char* kFewer = "give smaller bounds; counts are whole numbers of 64 bits";

template <class List>
int place_of(const List& list, std::string_view wanted) {
    for (size_t i = 0; i < list.size(); ++i)
        if (list[i].name == wanted) return static_cast<int>(i);
    return -1;
}

Status check_space(const Problem& problem, const DataSpace& space, double steps) {
    if (space.axes.empty() || static_cast<int>(space.axes.size()) > kMaxAxes)
        return fail(fmt::format("data space {} has {} axes; 1 to {} are possible", space.name,
                                space.axes.size(), kMaxAxes));
    double accesses = steps;
    for (const std::vector<Term>& axis : space.axes) {
        double largest = 1;
        if (axis.empty()) return fail(fmt::format("an axis of data space {} names no dimension", space.name));
        for (const Term& term : axis) {
            if (term.dimension < 0 || term.dimension >= static_cast<int>(problem.dimensions.size()))
                return fail(fmt::format("data space {} names a dimension that is not there", space.name));
            if (term.coefficient < 1)
                return fail(fmt::format("data space {}: a coefficient of {} is {}; 1 or more is possible",
                                        space.name, problem.dimensions[term.dimension].name,
                                        term.coefficient));
            largest = std::max(largest, static_cast<double>(term.coefficient));
        }
        accesses *= largest;
    }
    if (accesses > kMostAccesses)
        return fail(fmt::format("the accesses to {} are too many to count ({:.3g})", space.name, accesses),
                    {}, {}, kFewer);
    return {};
}

}  // namespace

int Problem::dimension(std::string_view wanted) const {
    return place_of(dimensions, wanted);
}

int Problem::space(std::string_view wanted) const {
    return place_of(spaces, wanted);
}

int64_t Problem::computes() const {
    int64_t steps = 1;
    for (const Dimension& dimension : dimensions)
        steps *= dimension.bound;
    return steps;
}

Status check(const Problem& problem) {
    if (problem.dimensions.empty() || static_cast<int>(problem.dimensions.size()) > kMaxDimensions)
        return fail(fmt::format("the problem has {} dimensions; 1 to {} are possible",
                                problem.dimensions.size(), kMaxDimensions));
    if (problem.spaces.empty() || static_cast<int>(problem.spaces.size()) > kMaxSpaces)
        return fail(fmt::format("the problem has {} data spaces; 1 to {} are possible", problem.spaces.size(),
                                kMaxSpaces));
    double steps = 1;
    for (const Dimension& dimension : problem.dimensions) {
        if (dimension.bound < 1)
            return fail(
                fmt::format("dimension {} is {}; 1 or more is possible", dimension.name, dimension.bound));
        steps *= static_cast<double>(dimension.bound);
    }
    if (steps > kMostAccesses)
        return fail(fmt::format("the problem has too many steps to count ({:.3g})", steps), {}, {}, kFewer);
    for (const DataSpace& space : problem.spaces)
        OPSIGHT_TRY(check_space(problem, space, steps));
    return {};
}

int64_t axis_size(const std::vector<Term>& axis, const int64_t* extents) {
    int64_t size = 1;
    for (const Term& term : axis)
        size += term.coefficient * (extents[term.dimension] - 1);
    return size;
}

int64_t tile_size(const DataSpace& space, const int64_t* extents) {
    int64_t size = 1;
    for (const std::vector<Term>& axis : space.axes)
        size *= axis_size(axis, extents);
    return size;
}

}  // namespace opsight::map
