#include "map/cloud.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "map/map_space.h"
#include "map/search.h"
#include "map/test_machines.h"

namespace opsight::map {
namespace {

class CloudTest : public ::testing::Test {
  protected:
    Cloud draw(int64_t tries, int threads = 1, uint64_t seed = 1) {
        Result<Cloud> cloud = draw_cloud(problem_, architecture_, {},
                                         {.tries = tries, .seed = seed, .threads = threads, .progress = {}});
        EXPECT_TRUE(cloud) << cloud.error().what;
        return *std::move(cloud);
    }

    Problem problem_ = convolution(2, 2, 3, 1, 2, 1);
    Architecture architecture_ = three_levels(2, 2, 8, 64);
};

bool same(const CloudPoint& a, const CloudPoint& b) {
    return a.energy_pj == b.energy_pj && a.cycles == b.cycles && a.outer_accesses == b.outer_accesses &&
           a.pareto == b.pareto && a.draw == b.draw;
}

TEST_F(CloudTest, IsTheSameWithAnyThreads) {
    const Cloud one = draw(20000), three = draw(20000, 3), other = draw(20000, 1, 2);
    ASSERT_EQ(one.points.size(), three.points.size());
    for (size_t i = 0; i < one.points.size(); ++i)
        EXPECT_TRUE(same(one.points[i], three.points[i])) << i;
    EXPECT_NE(one.points[0].draw + one.points[1].draw * 7 + one.points[2].draw * 49,
              other.points[0].draw + other.points[1].draw * 7 + other.points[2].draw * 49);
    EXPECT_EQ(one.tried, 20000);
    EXPECT_EQ(one.tried, one.again + one.unfit + static_cast<int64_t>(one.points.size()));
}

// Of several machines: some are held back by a bandwidth, some by their units.
TEST_F(CloudTest, NoPointIsBelowTheBoundOfAllMappings) {
    for (const int64_t across : {1, 2, 4}) {
        architecture_ = three_levels(across, across, 8, 64);
        const Cloud cloud = draw(20000);
        const Result<Evaluation> least = least_of_any_mapping(problem_, architecture_, {});
        ASSERT_TRUE(least);
        EXPECT_GT(least->energy_pj, 0);
        EXPECT_GT(least->cycles, 0);
        for (const CloudPoint& point : cloud.points) {
            EXPECT_GE(point.energy_pj, least->energy_pj);
            EXPECT_GE(point.cycles, least->cycles);
            EXPECT_GE(point.outer_accesses, least->last_level_words);
        }
    }
}

TEST_F(CloudTest, PointsCostWhatTheirMappingsDo) {
    const Cloud cloud = draw(3000);
    std::set<std::string> different;
    for (const CloudPoint& point : cloud.points) {
        const Result<Mapping> mapping = mapping_of(problem_, architecture_, {}, 1, point.draw);
        ASSERT_TRUE(mapping);
        const Result<Evaluation> evaluation = evaluate(problem_, architecture_, *mapping);
        ASSERT_TRUE(evaluation);
        EXPECT_EQ(point.energy_pj, evaluation->energy_pj);
        EXPECT_EQ(point.cycles, evaluation->cycles);
        int64_t outer = 0;
        for (const SpaceStats& space : evaluation->levels.back().spaces)
            outer += space.accesses();
        EXPECT_EQ(point.outer_accesses, outer);
        std::string key = loop_nest(*mapping, architecture_, problem_);
        for (const LevelMapping& level : mapping->levels)
            key += std::to_string(level.kept) + ",";
        EXPECT_TRUE(different.insert(key).second) << "drawn twice: " << key;
    }
}

// With enough draws all of a small space is there, and its best is that of the search.
TEST_F(CloudTest, ManyDrawsFindTheOptimum) {
    const Cloud cloud = draw(200000);
    const Result<SearchResult> least =
        search(problem_, architecture_, {}, {.objective = Objective::kEnergy, .progress = {}});
    ASSERT_TRUE(least);
    ASSERT_TRUE(least->proven);
    EXPECT_NEAR(cloud.best().energy_pj, least->evaluation.energy_pj, 1e-6);
    for (const CloudPoint& point : cloud.points)
        EXPECT_GE(point.energy_pj, least->evaluation.energy_pj * (1 - 1e-9));
}

TEST_F(CloudTest, FrontIsWhatNothingIsBetterThan) {
    const Cloud cloud = draw(4000);
    for (const CloudPoint& point : cloud.points) {
        bool beaten = false;
        for (const CloudPoint& other : cloud.points)
            beaten = beaten || (other.energy_pj <= point.energy_pj && other.cycles <= point.cycles &&
                                (other.energy_pj < point.energy_pj || other.cycles < point.cycles));
        // Of equals only one is marked.
        const bool marked =
            std::any_of(cloud.points.begin(), cloud.points.end(), [&](const CloudPoint& other) {
                return other.pareto && other.energy_pj == point.energy_pj && other.cycles == point.cycles;
            });
        EXPECT_EQ(marked, !beaten) << point.draw;
    }
}

TEST_F(CloudTest, CountsThoseWithTheFewestAccesses) {
    const Cloud cloud = draw(4000);
    const Cloud::Least least = cloud.least_accesses();
    int64_t count = 0;
    double low = 1e300, high = 0;
    for (const CloudPoint& point : cloud.points) {
        ASSERT_GE(point.outer_accesses, least.accesses);
        if (point.outer_accesses > least.accesses) continue;
        ++count;
        low = std::min(low, point.energy_pj);
        high = std::max(high, point.energy_pj);
    }
    EXPECT_EQ(least.mappings, count);
    EXPECT_EQ(least.least_pj, low);
    EXPECT_EQ(least.most_pj, high);
}

// Those near the least have its outermost level, and can be drawn again too.
TEST_F(CloudTest, DrawsMoreNearTheLeast) {
    const Result<Cloud> cloud =
        draw_cloud(problem_, architecture_, {}, {.tries = 300, .near_least = 2000, .progress = {}});
    ASSERT_TRUE(cloud);
    EXPECT_EQ(cloud->tried, 2300);
    EXPECT_EQ(cloud->tried_near, 2000);
    const Cloud first = draw(300);
    const Result<Mapping> least =
        mapping_of(problem_, architecture_, {}, 1, first.least_accesses().least_draw);
    int64_t near = 0;
    for (const CloudPoint& point : cloud->points) {
        if (!point.near_least) continue;
        ++near;
        const Result<Mapping> mapping = mapping_of(problem_, architecture_, {}, 1, point.draw);
        ASSERT_TRUE(mapping);
        EXPECT_EQ(mapping->levels.back(), least->levels.back());
        EXPECT_EQ(evaluate(problem_, architecture_, *mapping)->energy_pj, point.energy_pj);
    }
    EXPECT_GT(near, 10);
    EXPECT_GE(cloud->least_accesses().mappings, first.least_accesses().mappings);
}

TEST_F(CloudTest, NothingThatFitsIsAnError) {
    architecture_.levels[0].capacity = 3;
    architecture_.levels[1].capacity = 3;
    Constraints constraints;
    constraints.levels.resize(3);
    constraints.levels[0].keep = constraints.levels[1].keep = 7;
    const Result<Cloud> few = draw_cloud(problem_, architecture_, constraints, {.tries = 5, .progress = {}});
    ASSERT_FALSE(few);
    EXPECT_THAT(few.error().what, ::testing::HasSubstr("no mapping that was drawn fits"));
    architecture_.levels[0].capacity = 2;
    const Result<Cloud> none = draw_cloud(problem_, architecture_, constraints, {.tries = 5, .progress = {}});
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().what,
                ::testing::HasSubstr("that registers must keep take 3 words, it has room for 2"));
}

}  // namespace
}  // namespace opsight::map
