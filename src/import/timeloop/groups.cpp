#include "import/timeloop/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace opsight::importer::timeloop {

// Groups have constraints of their own, or those of another dimension.
Status place_groups(const Tree* space, const map::Problem& problem, map::Constraints& into) {
    const int groups = problem.dimension("G");
    if (groups < 0) return {};
    std::string like = "N";
    if (space != nullptr) {
        OPSIGHT_ASSIGN(like, space->text_of("groups", like));
    }
    const int other = problem.dimension(like);
    if (other < 0) return fail(fmt::format("mapspace: groups go like {}, which is not a dimension", like));
    for (map::LevelRules& level : into.levels) {
        const auto take = [&](auto& rules) {
            map::FactorRule& rule = rules[static_cast<size_t>(groups)];
            if (rule.exactly != 0 || rule.at_most != 0) return;
            rule = rules[static_cast<size_t>(other)];
            // "All of it" is all of another size.
            const int64_t bound = problem.dimensions[static_cast<size_t>(groups)].bound;
            if (rule.exactly > 1) rule = {0, 0};
            if (rule.at_most > bound) rule.at_most = bound;
        };
        take(level.in_time);
        take(level.across);
        // Along the same axis.
        if (level.split) {
            auto& order = level.across_order;
            const auto at = std::find(order.begin(), order.end(), other);
            if (std::find(order.begin(), order.end(), groups) == order.end() && at != order.end()) {
                if (at - order.begin() < static_cast<std::ptrdiff_t>(*level.split)) ++*level.split;
                order.insert(at, groups);
            }
        }
    }
    return {};
}

}  // namespace opsight::importer::timeloop
