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
        for (const Loop& loop : mapping.levels[i].loops)
            if (loop.across != Across::kTime) spread[i].used *= static_cast<double>(loop.count);
        const auto fanout = static_cast<double>(architecture_.fanout(i).instances());
        if (open != 0) spread[i].free = std::max(1.0, std::floor(fanout / spread[i].used));
        units *= spread[i].used * spread[i].free;
    }
    const auto steps = static_cast<double>(problem_.computes());
    Evaluation least;
    least.cycles = static_cast<int64_t>(steps / units);
    least.energy_pj = architecture_.compute.compute_pj * steps;
    for (size_t space = 0; space < problem_.spaces.size(); ++space)
        least.energy_pj += energy_of(space, mapping, open, spread);
    return least;
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
