#include "map/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace opsight::map {
namespace {

// Different words that all steps touch. Sums of two sets of numbers are at least as many as both sets have
// together, less one; a dimension of two axes counts at the first.
double words_of(const DataSpace& space, const Problem& problem) {
    double words = 1;
    uint32_t seen = 0;
    for (const std::vector<Term>& axis : space.axes) {
        int64_t points = 1;
        for (const Term& term : axis) {
            if ((seen >> term.dimension & 1U) == 0) points += problem.dimensions[term.dimension].bound - 1;
            seen |= 1U << term.dimension;
        }
        words *= static_cast<double>(points);
    }
    return words;
}

}  // namespace

Bounds::Bounds(const Problem& problem, const Architecture& architecture, const MapSpace& space)
    : problem_(problem), architecture_(architecture) {
    for (const DataSpace& data : problem.spaces) {
        words_.push_back(words_of(data, problem));
        uint32_t touched = 0, apart = 0;
        for (const std::vector<Term>& axis : data.axes)
            for (const Term& term : axis) {
                touched |= 1U << term.dimension;
                if (axis.size() == 1) apart |= 1U << term.dimension;
            }
        touched_.push_back(touched);
        apart_.push_back(apart);
    }
    most_across_.assign(architecture.levels.size(),
                        std::vector<std::pair<double, double>>(problem.dimensions.size(), {1, 1}));
    for (size_t i = 0; i < problem.dimensions.size(); ++i) {
        const DimensionChoices& choices = space.dimensions()[i];
        for (const std::vector<int64_t>& factors : choices.factors)
            for (size_t slot = 0; slot < factors.size(); ++slot) {
                if (choices.slots[slot].across == Across::kTime) continue;
                auto& [x, y] = most_across_[choices.slots[slot].level][i];
                double& most = choices.slots[slot].across == Across::kX ? x : y;
                most = std::max(most, static_cast<double>(factors[slot]));
            }
    }
    for (const std::vector<uint32_t>& masks : space.kept()) {
        uint32_t any = 0, all = ~0U;
        for (const uint32_t mask : masks) {
            any |= mask;
            all &= mask;
        }
        may_keep_.push_back(any);
        must_keep_.push_back(all);
    }
}

Evaluation Bounds::least(const Mapping& mapping, uint32_t open) const {
    std::vector<Spread> spread(mapping.levels.size());
    double units = 1;
    for (size_t i = 0; i < spread.size(); ++i) {
        spread[i] = spread_of(i, mapping.levels[i], open);
        units *= spread[i].used * spread[i].free;
    }
    const auto steps = static_cast<double>(problem_.computes());
    Evaluation least;
    least.cycles = static_cast<int64_t>(steps / units);
    least.energy_pj = architecture_.compute.compute_pj * steps;
    for (size_t space = 0; space < problem_.spaces.size(); ++space) {
        least.energy_pj += energy_of(space, mapping, open, spread);
        // The outermost level keeps all: it gives each word once, or takes it.
        least.last_level_words += static_cast<int64_t>(words_[space]);
    }
    return least;
}

Bounds::Spread Bounds::spread_of(size_t level, const LevelMapping& mapping, uint32_t open) const {
    double used_x = 1, used_y = 1;
    for (const Loop& loop : mapping.loops) {
        if (loop.across == Across::kX) used_x *= static_cast<double>(loop.count);
        if (loop.across == Across::kY) used_y *= static_cast<double>(loop.count);
    }
    Spread out{used_x * used_y, 1};
    if (open == 0) return out;
    double most_x = 1, most_y = 1;  // that open dimensions have choices for
    for (size_t i = 0; i < problem_.dimensions.size(); ++i)
        if ((open >> i & 1U) != 0) {
            most_x *= most_across_[level][i].first;
            most_y *= most_across_[level][i].second;
        }
    const Mesh fanout = architecture_.fanout(level);
    const auto left = [](int64_t all, double used, double most) {
        return std::max(1.0, std::min(most, std::floor(static_cast<double>(all) / used)));
    };
    out.free = left(fanout.x, used_x, most_x) * left(fanout.y, used_y, most_y);
    return out;
}

// The units take a word each step from the innermost level that keeps the data space; one read may serve all
// that need the same. What that level is filled with comes from the outermost level, once at least.
double Bounds::energy_of(size_t space, const Mapping& mapping, uint32_t open,
                         const std::vector<Spread>& spread) const {
    const bool written = problem_.spaces[space].written;
    const size_t last = mapping.levels.size() - 1;
    const auto access_of = [&](size_t level, bool fill) {
        const Level& described = architecture_.levels[level];
        return (fill      ? described.write_pj
                : written ? described.update_pj
                          : described.read_pj) /
               static_cast<double>(described.block * described.cluster);
    };
    // Loops across instances that need the same words: up to a level, and, as far as chosen, in all.
    std::vector<double> copies(mapping.levels.size(), 1);
    double all_copies = 1;
    for (size_t i = 0; i <= last; ++i) {
        for (const Loop& loop : mapping.levels[i].loops)
            if (loop.across != Across::kTime && (touched_[space] >> loop.dimension & 1U) == 0)
                copies[i] *= static_cast<double>(loop.count);
        all_copies *= copies[i];
    }
    const double outermost =
        (may_keep_[last] >> space & 1U) != 0 ? words_[space] * access_of(last, false) : 0;
    double least = std::numeric_limits<double>::infinity();
    auto taken = static_cast<double>(problem_.computes());
    for (size_t level = 0; level <= last; ++level) {
        for (const Loop& loop : mapping.levels[level].loops)
            if (loop.across != Across::kTime && (apart_[space] >> loop.dimension & 1U) == 0)
                taken /= static_cast<double>(loop.count);
        if ((open & ~apart_[space]) != 0) taken /= spread[level].free;
        all_copies /= copies[level];
        if ((may_keep_[level] >> space & 1U) == 0) continue;
        const double inner = taken * access_of(level, false);
        const double fills = written ? 0 : words_[space] * all_copies * access_of(level, true);
        least = std::min(least, level == last ? std::max(inner, outermost) : inner + fills + outermost);
        if ((must_keep_[level] >> space & 1U) != 0) break;
    }
    return least;
}

}  // namespace opsight::map
