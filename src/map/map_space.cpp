#include "map/map_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace opsight::map {
namespace {

bool allowed(const FactorRule& rule, int64_t factor) {
    return (rule.exactly == 0 || factor == rule.exactly) && (rule.at_most == 0 || factor <= rule.at_most);
}

constexpr size_t kMostChoices = 1 << 17;
constexpr int64_t kLargestBound = int64_t{1} << 40;  // its divisors are looked for one by one

std::vector<int64_t> divisors_of(int64_t number) {
    std::vector<int64_t> divisors;
    for (int64_t i = 1; i * i <= number; ++i)
        if (number % i == 0) {
            divisors.push_back(i);
            if (i * i != number) divisors.push_back(number / i);
        }
    std::sort(divisors.begin(), divisors.end());
    return divisors;
}

// Where a dimension stands in an order; behind all that it names, if it does not.
size_t place_in(const std::vector<int>& order, int dimension) {
    return static_cast<size_t>(std::find(order.begin(), order.end(), dimension) - order.begin());
}

// Along which axes a dimension may be spread at a level.
std::vector<Across> axes_for(const LevelRules& rules, int dimension, const Mesh& fanout) {
    std::vector<Across> axes;
    if (rules.split) {
        const Across along = place_in(rules.across_order, dimension) < *rules.split ? Across::kX : Across::kY;
        if ((along == Across::kX ? fanout.x : fanout.y) > 1) axes.push_back(along);
        return axes;
    }
    const int64_t exactly = rules.across[dimension].exactly;
    if (fanout.x > 1 && exactly <= fanout.x) axes.push_back(Across::kX);
    // A factor that is given is not cut in two.
    if (fanout.y > 1 && (exactly == 0 || axes.empty())) axes.push_back(Across::kY);
    return axes;
}

}  // namespace

Result<MapSpace> MapSpace::make(const Problem& problem, const Architecture& architecture,
                                const Constraints& constraints) {
    MapSpace space;
    space.constraints_ = constraints;
    space.constraints_.levels.resize(architecture.levels.size());
    for (size_t i = 0; i < problem.dimensions.size(); ++i)
        OPSIGHT_TRY(
            space.add_slots(architecture, i, problem.dimensions[i].name, problem.dimensions[i].bound));
    const uint32_t all = (1U << problem.spaces.size()) - 1;
    for (size_t i = 0; i < architecture.levels.size(); ++i) {
        const LevelRules& rules = space.constraints_.levels[i];
        std::vector<uint32_t> masks;
        if (architecture.levels[i].dummy) {
            masks.push_back(0);
        } else if (i + 1 == architecture.levels.size()) {
            masks.push_back(all);
        } else {
            for (uint32_t mask = all + 1; mask-- > 0;)
                if ((mask & rules.bypass) == 0 && (mask & rules.keep) == rules.keep) masks.push_back(mask);
        }
        if (masks.empty())
            return fail(fmt::format("level {} must keep what it must not keep", architecture.levels[i].name),
                        {}, "keep of " + architecture.levels[i].name, "take out one of both constraints");
        space.kept_.push_back(std::move(masks));
    }
    OPSIGHT_TRY(space.check_room(problem, architecture));
    return space;
}

// With the least extent of each dimension inside of a level, whatever the others have.
Status MapSpace::check_room(const Problem& problem, const Architecture& architecture) const {
    for (size_t level = 0; level < architecture.levels.size(); ++level) {
        const std::optional<int64_t> words = room(architecture.levels[level]);
        const uint32_t kept = kept_[level].back();  // whatever is chosen
        if (!words || kept == 0) continue;
        std::array<int64_t, kMaxDimensions> extents;
        extents.fill(1);
        for (size_t i = 0; i < dimensions_.size(); ++i) {
            extents[i] = problem.dimensions[i].bound;
            for (const std::vector<int64_t>& factors : dimensions_[i].factors) {
                int64_t inside = 1;
                for (size_t slot = 0; slot < factors.size(); ++slot)
                    if (dimensions_[i].slots[slot].level <= level) inside *= factors[slot];
                extents[i] = std::min(extents[i], inside);
            }
        }
        int64_t least = 0;
        for (size_t space = 0; space < problem.spaces.size(); ++space)
            if ((kept >> space & 1U) != 0) least += tile_size(problem.spaces[space], extents.data());
        const std::string& name = architecture.levels[level].name;
        if (least > *words)
            return fail(
                fmt::format("no mapping fits: the smallest tiles that {} must keep take {} words, it has "
                            "room for {}",
                            name, least, *words),
                {}, "level " + name, "give it more room, or let data spaces bypass it");
    }
    return {};
}

Status MapSpace::add_slots(const Architecture& architecture, size_t dimension, const std::string& name,
                           int64_t bound) {
    DimensionChoices choices;
    std::vector<FactorRule> rules;
    std::vector<int64_t> limits;
    const int index = static_cast<int>(dimension);
    for (size_t i = 0; i < architecture.levels.size(); ++i) {
        const LevelRules& level = constraints_.levels[i];
        const Mesh fanout = architecture.fanout(i);
        for (const Across across : axes_for(level, index, fanout)) {
            choices.slots.push_back({i, across});
            rules.push_back(level.across[dimension]);
            limits.push_back(across == Across::kX ? fanout.x : fanout.y);
        }
        choices.slots.push_back({i, Across::kTime});
        rules.push_back(level.in_time[dimension]);
        limits.push_back(bound);
    }
    std::vector<int64_t> so_far;
    if (bound > kLargestBound)
        return fail(fmt::format("dimension {} is too large to search, {}", name, bound), {},
                    "bound of " + name, fmt::format("make it {} or less", kLargestBound));
    add_factors(rules, limits, divisors_of(bound), bound, so_far, choices);
    if (choices.factors.size() > kMostChoices)
        return fail(
            fmt::format("dimension {} has more than {} ways to be cut into factors", name, kMostChoices), {},
            "dimension " + name, "give some of its factors as constraints");
    if (choices.factors.empty())
        return fail(
            fmt::format("no factors of dimension {}, which is {}, agree with the constraints", name, bound),
            {}, "dimension " + name, "loosen its factors, or give the levels a larger mesh");
    dimensions_.push_back(std::move(choices));
    return {};
}

void MapSpace::add_factors(const std::vector<FactorRule>& rules, const std::vector<int64_t>& limits,
                           const std::vector<int64_t>& divisors, int64_t rest, std::vector<int64_t>& so_far,
                           DimensionChoices& into) const {
    const size_t at = so_far.size();
    if (into.factors.size() > kMostChoices) return;
    if (at == rules.size()) {
        if (rest == 1) into.factors.push_back(so_far);
        return;
    }
    for (const int64_t factor : divisors) {
        if (factor > std::min(rest, limits[at])) break;
        const bool last = at + 1 == rules.size();
        if (rest % factor != 0 || (last && factor != rest) || !allowed(rules[at], factor)) continue;
        // Not across both axes of a level: a mapping's file has one factor for both.
        const bool twice = factor > 1 && at > 0 && so_far.back() > 1 && into.slots[at].across == Across::kY &&
                           into.slots[at - 1].across == Across::kX &&
                           into.slots[at].level == into.slots[at - 1].level;
        if (twice) continue;
        so_far.push_back(factor);
        add_factors(rules, limits, divisors, rest / factor, so_far, into);
        so_far.pop_back();
    }
}

double MapSpace::size() const {
    double size = 1;
    for (const DimensionChoices& dimension : dimensions_)
        size *= static_cast<double>(dimension.factors.size());
    for (const std::vector<uint32_t>& masks : kept_)
        size *= static_cast<double>(masks.size());
    for (size_t level = 0; level < kept_.size(); ++level) {
        double free = 0;
        for (size_t i = 0; i < dimensions_.size(); ++i) {
            if (place_in(constraints_.levels[level].order, static_cast<int>(i)) <
                constraints_.levels[level].order.size())
                continue;
            const DimensionChoices& choices = dimensions_[i];
            size_t slot = 0;
            while (choices.slots[slot].level != level || choices.slots[slot].across != Across::kTime)
                ++slot;
            if (std::any_of(choices.factors.begin(), choices.factors.end(),
                            [slot](const auto& factors) { return factors[slot] > 1; }))
                size *= ++free;
        }
    }
    return size;
}

void MapSpace::put(size_t dimension, size_t choice, Mapping& into) const {
    const DimensionChoices& choices = dimensions_[dimension];
    const int index = static_cast<int>(dimension);
    for (LevelMapping& level : into.levels)
        std::erase_if(level.loops, [index](const Loop& loop) { return loop.dimension == index; });
    for (size_t i = 0; i < choices.slots.size(); ++i)
        if (const int64_t factor = choices.factors[choice][i]; factor > 1)
            into.levels[choices.slots[i].level].loops.push_back({index, factor, choices.slots[i].across});
}

std::vector<size_t> MapSpace::sort_loops(Mapping& mapping) const {
    std::vector<size_t> fixed;
    for (size_t level = 0; level < mapping.levels.size(); ++level) {
        const LevelRules& rules = constraints_.levels[level];
        const auto rank = [&rules](const Loop& loop) {
            const bool in_time = loop.across == Across::kTime;
            const size_t place = place_in(in_time ? rules.order : rules.across_order, loop.dimension);
            return std::tuple(in_time, in_time ? Across::kX : loop.across, place);
        };
        std::vector<Loop>& loops = mapping.levels[level].loops;
        std::stable_sort(loops.begin(), loops.end(),
                         [&](const Loop& a, const Loop& b) { return rank(a) < rank(b); });
        const auto free = std::find_if(loops.begin(), loops.end(), [&rules](const Loop& loop) {
            return loop.across == Across::kTime &&
                   place_in(rules.order, loop.dimension) == rules.order.size();
        });
        fixed.push_back(static_cast<size_t>(free - loops.begin()));
    }
    return fixed;
}

}  // namespace opsight::map
