#include "map/explorer.h"

#include <algorithm>
#include <array>
#include <random>

namespace opsight::map {
Cost full_cost(const Evaluation& evaluation, const SearchSettings& settings) {
    Cost cost{cost_of(evaluation, settings.objective)};
    size_t at = 1;
    for (const Objective next : settings.then)
        if (at < cost.size()) cost[at++] = cost_of(evaluation, next);
    const Objective last = settings.objective == Objective::kEnergy ? Objective::kDelay : Objective::kEnergy;
    if (at < cost.size()) cost[at] = cost_of(evaluation, last);
    return cost;
}

Mapping SearchInput::empty() const {
    Mapping mapping;
    mapping.levels.resize(architecture.levels.size());
    return mapping;
}

double SearchInput::least(const Mapping& mapping, size_t chosen) const {
    uint32_t open = 0;
    for (size_t i = chosen; i < order.size(); ++i)
        if (problem.dimensions[order[i]].bound > 1) open |= 1U << order[i];
    return cost_of(bounds.least(mapping, open), settings.objective) * kRounding;
}

void Explorer::follow(size_t choice) {
    Mapping mapping = input_.empty();
    choose(0, choice, mapping);
}

void Explorer::all_factors(size_t depth, double least, Mapping& mapping) {
    if (depth == input_.order.size()) return all_kept(0, least, mapping);
    const size_t choices = input_.space.dimensions()[input_.order[depth]].factors.size();
    const std::vector<LevelMapping> before = mapping.levels;
    for (size_t choice = 0; choice < choices; ++choice) {
        choose(depth, choice, mapping);
        mapping.levels = before;
        if (ended()) return leave(least);
    }
}

void Explorer::choose(size_t depth, size_t choice, Mapping& mapping) {
    input_.space.put(input_.order[depth], choice, mapping);
    if (input_.settings.method != Method::kExhaustive && !fits_so_far(mapping)) return;
    const double least = cuts() ? input_.least(mapping, depth + 1) : 0;
    if (!may_go_on(least)) return;
    if (cuts() && best_ && least > best_->cost.front())
        ++cut_;
    else
        all_factors(depth + 1, least, mapping);
}

bool Explorer::ended() const {
    return budget_ <= 0 || input_.stopped();
}

void Explorer::leave(double least) {
    left_ = std::min(left_, least);
}

bool Explorer::may_go_on(double least) {
    if (ended()) {
        leave(least);
        return false;
    }
    --budget_;
    return true;
}

// Tiles only grow with the dimensions that come.
bool Explorer::fits_so_far(const Mapping& mapping) const {
    std::array<int64_t, kMaxDimensions> extents;
    extents.fill(1);
    for (size_t i = 0; i < mapping.levels.size(); ++i) {
        Mesh used;
        for (const Loop& loop : mapping.levels[i].loops) {
            extents[loop.dimension] *= loop.count;
            if (loop.across == Across::kX) used.x *= loop.count;
            if (loop.across == Across::kY) used.y *= loop.count;
        }
        const Mesh fanout = input_.architecture.fanout(i);
        if (used.x > fanout.x || used.y > fanout.y) return false;
        const std::optional<int64_t> words = room(input_.architecture.levels[i]);
        if (!words) continue;
        // The last of the masks is what is kept whatever is chosen.
        const uint32_t kept = input_.space.kept()[i].back();
        int64_t taken = 0;
        for (size_t space = 0; space < input_.problem.spaces.size(); ++space)
            if ((kept >> space & 1U) != 0) taken += tile_size(input_.problem.spaces[space], extents.data());
        if (taken > *words) return false;
    }
    return true;
}

void Explorer::all_kept(size_t level, double least, Mapping& mapping) {
    if (level == mapping.levels.size()) return all_orders(least, mapping);
    for (const uint32_t mask : input_.space.kept()[level]) {
        mapping.levels[level].kept = mask;
        all_kept(level + 1, least, mapping);
        if (ended()) return leave(least);
    }
}

void Explorer::all_orders(double least, const Mapping& given) {
    if (!may_go_on(least)) return;
    Mapping mapping = given;
    const std::vector<size_t> fixed = input_.space.sort_loops(mapping);
    Result<OrderCosts> costs = OrderCosts::make(input_.problem, input_.architecture, mapping);
    order(mapping.levels.size(), least, fixed, costs ? &*costs : nullptr, mapping);
}

// Levels from `level` on have their order. The outermost go first: they decide what each level is filled
// with. Without `costs` it fits in no order.
void Explorer::order(size_t level, double least, const std::vector<size_t>& fixed, OrderCosts* costs,
                     Mapping& mapping) {
    // The order inside of the innermost tile makes no difference: units take a word in each step.
    const size_t last = input_.settings.method == Method::kExhaustive ? 0 : 1;
    const auto free = [&](size_t i) { return i >= last && mapping.levels[i].loops.size() > fixed[i] + 1; };
    while (level > 0 && !free(level - 1))
        --level;
    if (level == 0) {
        if (!may_go_on(least)) return;
        ++tried_;
        if (costs != nullptr && costs->work_out()) take(costs->result(), mapping);
        return;
    }
    if (cuts()) {
        if (costs == nullptr || !costs->work_out(level)) return;
        const Cost cost = full_cost(costs->result(), input_.settings);
        if (best_ && cost >= best_->cost) {
            ++cut_;
            return;
        }
        least = std::max(least, cost.front());
    }
    if (!may_go_on(least)) return;
    std::vector<Loop>& loops = mapping.levels[level - 1].loops;
    const auto before = [](const Loop& a, const Loop& b) { return a.dimension < b.dimension; };
    const auto first = static_cast<std::ptrdiff_t>(fixed[level - 1]);
    std::sort(loops.begin() + first, loops.end(), before);
    do {
        if (costs != nullptr) costs->reorder(level - 1, mapping.levels[level - 1]);
        order(level - 1, least, fixed, costs, mapping);
        if (ended()) return leave(least);
    } while (std::next_permutation(loops.begin() + first, loops.end(), before));
}

void Explorer::try_one(const Mapping& mapping) {
    ++tried_;
    const Result<Evaluation> evaluation = evaluate(input_.problem, input_.architecture, mapping);
    if (evaluation) take(*evaluation, mapping);
}

void Explorer::take(const Evaluation& evaluation, const Mapping& mapping) {
    ++valid_;
    const Cost cost = full_cost(evaluation, input_.settings);
    if (!best_ || cost < best_->cost) best_ = Found{mapping, evaluation, cost};
}

void Explorer::roam(uint64_t seed, int64_t samples) {
    std::mt19937_64 random(seed);
    for (int64_t i = 0; i < samples && !ended(); ++i) {
        Mapping mapping = input_.empty();
        for (size_t dimension = 0; dimension < input_.problem.dimensions.size(); ++dimension)
            input_.space.put(dimension, random() % input_.space.dimensions()[dimension].factors.size(),
                             mapping);
        if (fits_so_far(mapping)) all_kept(0, input_.least(mapping, input_.order.size()), mapping);
    }
}

void Explorer::wander(uint64_t seed, int64_t samples) {
    std::mt19937_64 random(seed);
    const size_t count = input_.problem.dimensions.size();
    for (int64_t i = 0; i < samples && !input_.stopped(); ++i) {
        const bool anew = !best_ || input_.settings.method == Method::kRandom || random() % 4 == 0;
        Mapping mapping = anew ? input_.empty() : best_->mapping;
        for (size_t dimension = 0; dimension < count; ++dimension)
            if (anew || random() % count < 2)
                input_.space.put(dimension, random() % input_.space.dimensions()[dimension].factors.size(),
                                 mapping);
        const bool reorder = anew || random() % 2 == 0;
        const std::vector<size_t> fixed = input_.space.sort_loops(mapping);
        for (size_t level = 0; reorder && level < fixed.size(); ++level)
            std::shuffle(mapping.levels[level].loops.begin() + static_cast<std::ptrdiff_t>(fixed[level]),
                         mapping.levels[level].loops.end(), random);
        for (size_t level = 0; level < fixed.size(); ++level) {
            const std::vector<uint32_t>& masks = input_.space.kept()[level];
            if (anew || random() % 8 == 0) mapping.levels[level].kept = masks[random() % masks.size()];
        }
        try_one(mapping);
    }
}

}  // namespace opsight::map
