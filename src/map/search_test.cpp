#include "map/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "map/bounds.h"
#include "map/explorer.h"
#include "map/test_machines.h"

namespace opsight::map {
namespace {

using ::testing::HasSubstr;

constexpr Objective kObjectives[] = {Objective::kEnergy, Objective::kDelay, Objective::kEdp,
                                     Objective::kLastLevel};

// All mappings of a problem, written as plainly as can be: each way to cut each dimension into loops, each
// order of the loops in time of each level, each choice of what levels keep.
class AllMappings {
  public:
    AllMappings(const Problem& problem, const Architecture& architecture)
        : problem_(problem), architecture_(architecture) {
        mapping_.levels.resize(architecture.levels.size());
    }

    template <class Do>
    void each(const Do& what) {
        cut(0, 0, problem_.dimensions[0].bound, what);
    }

  private:
    // Slots 3i, 3i + 1, 3i + 2: across X, across Y and in time at level i.
    template <class Do>
    void cut(size_t dimension, size_t slot, int64_t rest, const Do& what) {
        if (slot == 3 * architecture_.levels.size()) {
            if (rest > 1) return;
            if (dimension + 1 == problem_.dimensions.size()) return keep(0, what);
            return cut(dimension + 1, 0, problem_.dimensions[dimension + 1].bound, what);
        }
        for (int64_t count = 1; count <= rest; ++count) {
            if (rest % count != 0) continue;
            std::vector<Loop>& loops = mapping_.levels[slot / 3].loops;
            const std::vector<Loop> before = loops;
            const auto across = std::array{Across::kX, Across::kY, Across::kTime}[slot % 3];
            const bool other_axis = std::any_of(loops.begin(), loops.end(), [&](const Loop& loop) {
                return across == Across::kY && loop.across == Across::kX &&
                       loop.dimension == static_cast<int>(dimension);
            });
            if (count > 1 && other_axis) continue;
            if (count > 1) loops.push_back({static_cast<int>(dimension), count, across});
            cut(dimension, slot + 1, rest / count, what);
            mapping_.levels[slot / 3].loops = before;
        }
    }

    template <class Do>
    void keep(size_t level, const Do& what) {
        if (level + 1 == mapping_.levels.size()) return order(0, mapping_, what);
        for (uint32_t mask = 0; mask < 1U << problem_.spaces.size(); ++mask) {
            mapping_.levels[level].kept = mask;
            keep(level + 1, what);
        }
    }

    template <class Do>
    void order(size_t level, Mapping mapping, const Do& what) {
        if (level == mapping.levels.size()) return what(mapping);
        std::vector<Loop>& loops = mapping.levels[level].loops;
        const auto in_time = std::stable_partition(
            loops.begin(), loops.end(), [](const Loop& loop) { return loop.across != Across::kTime; });
        const auto before = [](const Loop& a, const Loop& b) { return a.dimension < b.dimension; };
        std::sort(in_time, loops.end(), before);
        do
            order(level + 1, mapping, what);
        while (std::next_permutation(in_time, loops.end(), before));
    }

    const Problem& problem_;
    const Architecture& architecture_;
    Mapping mapping_;
};

Architecture small_machine(int64_t registers, int64_t buffer) {
    Architecture machine = three_levels(2, 2, registers, buffer);
    machine.levels[1].read_bandwidth = 2;
    machine.levels[2].shared_bandwidth = 1;
    return machine;
}

TEST(Search, FindsWhatBruteForceFinds) {
    const Problem problems[] = {convolution(2, 2, 2, 1, 2, 1),
                                convolution(4, 1, 2, 1, 1, 1),
                                convolution(2, 1, 4, 1, 3, 1, 2),
                                convolution(1, 6, 1, 2, 1, 1),
                                depthwise(2, 4, 2),
                                product(2, 2, 2),
                                mttkrp(2, 2, 2, 1),
                                attention(2, 2, 1, 2)};
    for (const Problem& problem : problems)
        for (const int64_t registers : {3, 6}) {
            const Architecture machine = small_machine(registers, 12);
            double least[4] = {1e99, 1e99, 1e99, 1e99};
            AllMappings(problem, machine).each([&](const Mapping& mapping) {
                const Result<Evaluation> evaluation = evaluate(problem, machine, mapping);
                if (!evaluation) return;
                for (size_t i = 0; i < 4; ++i)
                    least[i] = std::min(least[i], cost_of(*evaluation, kObjectives[i]));
            });
            for (size_t i = 0; i < 4; ++i) {
                const auto found = search(problem, machine, {}, {.objective = kObjectives[i], .samples = 64});
                ASSERT_TRUE(found) << found.error().message();
                EXPECT_TRUE(found->proven);
                EXPECT_DOUBLE_EQ(cost_of(found->evaluation, kObjectives[i]), least[i]);
                EXPECT_DOUBLE_EQ(found->bound, least[i]);
            }
        }
}

TEST(Search, NoMappingCostsLessThanItsBounds) {
    std::mt19937 random(7);
    int checked = 0;
    for (int i = 0; i < 2000; ++i) {
        const auto any = [&](int64_t most) { return static_cast<int64_t>(random() % most) + 1; };
        const Problem problem = convolution(any(6), any(6), any(8), any(4), any(3), any(3), any(3), any(2));
        Architecture machine = three_levels(4, 4);
        machine.levels[1].block = any(4);
        if (i % 2 == 1) machine.levels[1].mesh = {2, 1};
        const Mapping mapping = random_mapping(problem, machine, random);
        const Result<Evaluation> cost = evaluate(problem, machine, mapping);
        if (!cost) continue;
        ++checked;
        SCOPED_TRACE(loop_nest(mapping, machine, problem));
        for (size_t open = 1; open <= 3; ++open) {
            // Whatever the order is that the open levels have here.
            Mapping other = mapping;
            for (size_t level = 0; level < open; ++level) {
                std::vector<Loop>& loops = other.levels[level].loops;
                std::reverse(std::find_if(loops.begin(), loops.end(),
                                          [](const Loop& loop) { return loop.across == Across::kTime; }),
                             loops.end());
            }
            const Result<Evaluation> least = least_of_any_order(problem, machine, other, open);
            ASSERT_TRUE(least);
            EXPECT_LE(least->energy_pj, cost->energy_pj) << open;
            EXPECT_LE(least->cycles, cost->cycles) << open;
        }
        const Result<MapSpace> space = MapSpace::make(problem, machine, {});
        ASSERT_TRUE(space) << space.error().message();
        const Bounds bounds(problem, machine, *space);
        // With the loops of the first dimensions alone, the others still open.
        for (int known = 0; known <= static_cast<int>(problem.dimensions.size()); ++known) {
            Mapping part = mapping;
            uint32_t open = 0;
            for (int dimension = known; dimension < static_cast<int>(problem.dimensions.size());
                 ++dimension) {
                open |= 1U << dimension;
                for (LevelMapping& level : part.levels)
                    std::erase_if(level.loops, [&](const Loop& loop) { return loop.dimension == dimension; });
            }
            const Evaluation least = bounds.least(part, open);
            EXPECT_LE(least.energy_pj * (1 - 1e-9), cost->energy_pj) << known;
            EXPECT_LE(least.cycles, cost->cycles) << known;
            EXPECT_LE(least.last_level_words, cost->last_level_words) << known;
        }
        if (HasFailure()) return;
    }
    EXPECT_GT(checked, 500);
}

TEST(Search, FindsTheSameWhateverTheThreads) {
    const Problem problem = convolution(16, 8, 8, 1, 3, 1);
    const Architecture machine = small_machine(8, 64);
    for (const int64_t budget : {300, 20'000}) {
        SearchSettings settings{.objective = Objective::kEdp, .budget = budget, .samples = 2000, .seed = 5};
        const auto one = search(problem, machine, {}, settings);
        settings.threads = 3;
        const auto three = search(problem, machine, {}, settings);
        ASSERT_TRUE(one && three);
        EXPECT_EQ(one->mapping, three->mapping);
        EXPECT_EQ(one->tried, three->tried);
        EXPECT_EQ(one->cut, three->cut);
        EXPECT_EQ(one->bound, three->bound);
        EXPECT_FALSE(one->proven);
        EXPECT_LE(one->bound, cost_of(one->evaluation, Objective::kEdp));
    }
}

TEST(Search, AllMethodsFindTheSame) {
    const Problem problem = convolution(2, 2, 2, 1, 1, 1);
    const Architecture machine = small_machine(3, 8);
    for (const Objective objective : kObjectives) {
        const auto exact = search(problem, machine, {}, {.objective = objective});
        ASSERT_TRUE(exact) << exact.error().message();
        ASSERT_TRUE(exact->proven);
        int64_t tried = 0;
        for (const Method method : {Method::kLinearPruned, Method::kExhaustive}) {
            const auto found = search(problem, machine, {}, {.objective = objective, .method = method});
            ASSERT_TRUE(found) << found.error().message();
            EXPECT_TRUE(found->proven) << name_of(method);
            EXPECT_DOUBLE_EQ(cost_of(found->evaluation, objective), cost_of(exact->evaluation, objective));
            EXPECT_GT(found->tried, tried) << "what is pruned is not tried";
            tried = found->tried;
        }
        for (const Method method : {Method::kRandom, Method::kHybrid}) {
            const auto found = search(problem, machine, {},
                                      {.objective = objective,
                                       .method = method,
                                       .samples = method == Method::kRandom ? 20'000 : 300});
            ASSERT_TRUE(found) << found.error().message();
            EXPECT_DOUBLE_EQ(cost_of(found->evaluation, objective), cost_of(exact->evaluation, objective))
                << name_of(method);
            EXPECT_LE(found->bound, cost_of(found->evaluation, objective));
        }
    }
}

TEST(Search, TheNextObjectiveDecidesBetweenEquals) {
    const Problem problem = convolution(4, 2, 2, 1, 1, 1);
    const Architecture machine = three_levels(2, 2, 8, 24);
    Cost least{1e99, 1e99};
    AllMappings(problem, machine).each([&](const Mapping& mapping) {
        const Result<Evaluation> cost = evaluate(problem, machine, mapping);
        if (!cost) return;
        const SearchSettings lexicographic{.objective = Objective::kDelay, .then = {Objective::kLastLevel}};
        least = std::min(least, full_cost(*cost, lexicographic));
    });
    const auto found =
        search(problem, machine, {}, {.objective = Objective::kDelay, .then = {Objective::kLastLevel}});
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_TRUE(found->proven);
    EXPECT_EQ(cost_of(found->evaluation, Objective::kDelay), least[0]);
    EXPECT_EQ(cost_of(found->evaluation, Objective::kLastLevel), least[1]);
}

TEST(Search, KeepsToItsConstraints) {
    const Problem problem = convolution(4, 4, 4, 1, 1, 1);
    const Architecture machine = small_machine(8, 64);
    Constraints rules;
    rules.levels.resize(3);
    rules.levels[0].in_time[0].at_most = 2;  // K
    rules.levels[0].bypass = 1;              // weights
    rules.levels[1].in_time[1].exactly = 4;  // C
    rules.levels[1].order = {2, 1, 0};
    rules.levels[1].keep = 4;
    const auto found = search(problem, machine, rules, {});
    ASSERT_TRUE(found) << found.error().message();
    for (const Loop& loop : found->mapping.levels[0].loops)
        EXPECT_TRUE(loop.dimension != 0 || loop.across != Across::kTime || loop.count <= 2);
    EXPECT_FALSE(found->mapping.levels[0].keeps(0));
    EXPECT_TRUE(found->mapping.levels[1].keeps(2));
    EXPECT_EQ(std::count(found->mapping.levels[1].loops.begin(), found->mapping.levels[1].loops.end(),
                         Loop{1, 4, Across::kTime}),
              1);
    const auto free = search(problem, machine, {}, {});
    ASSERT_TRUE(free);
    EXPECT_LE(free->evaluation.energy_pj, found->evaluation.energy_pj);
}

TEST(Search, TellsWhyNothingWasFound) {
    const Problem problem = convolution(4, 4, 4, 1, 1, 1);
    Constraints rules;
    rules.levels.resize(3);
    rules.levels[0].keep = 7;
    const auto tight = search(problem, small_machine(1, 64), rules, {.samples = 64});
    ASSERT_FALSE(tight);
    EXPECT_THAT(tight.error().message(), HasSubstr("no mapping fits"));
    rules.levels[0].in_time[0].exactly = 3;
    const auto odd = search(problem, small_machine(8, 64), rules, {});
    ASSERT_FALSE(odd);
    EXPECT_THAT(odd.error().message(), HasSubstr("no factors of dimension K"));
    const std::atomic<bool> stop = true;
    const auto stopped = search(problem, small_machine(8, 64), {}, {.stop = &stop});
    ASSERT_FALSE(stopped);
    EXPECT_THAT(stopped.error().message(), HasSubstr("stopped"));
}

}  // namespace
}  // namespace opsight::map
