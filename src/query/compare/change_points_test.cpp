#include "query/compare/change_points.h"

#include <gtest/gtest.h>

#include <random>

namespace opsight::query {
namespace {

// Runs of about 100 ms that differ by 1 %; `levels`: how much longer each is, in ns.
std::vector<int64_t> runs(const std::vector<int64_t>& levels, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(100e6, 1e6);
    std::vector<int64_t> all;
    for (const int64_t level : levels)
        all.push_back(static_cast<int64_t>(noise(random)) + level);
    return all;
}

std::vector<int64_t> levels(const std::vector<std::pair<size_t, int64_t>>& parts) {
    std::vector<int64_t> all;
    for (const auto& [count, level] : parts)
        all.insert(all.end(), count, level);
    return all;
}

TEST(ChangePoints, APlantedChangeIsFoundWhereItIs) {
    for (uint64_t seed = 0; seed < 10; ++seed) {
        const auto found = find_change_points(runs(levels({{14, 0}, {16, 5'000'000}}), seed));
        ASSERT_EQ(found.size(), 1u) << seed;
        EXPECT_NEAR(static_cast<double>(found[0].at), 14, 1) << seed;
        EXPECT_LT(found[0].p, 0.01);
        EXPECT_NEAR(static_cast<double>(found[0].after - found[0].before), 5e6, 1e6);
    }
}

TEST(ChangePoints, ThereAndBackAgain) {
    const auto found = find_change_points(runs(levels({{12, 0}, {10, 6'000'000}, {12, 0}}), 7));
    ASSERT_EQ(found.size(), 2u);
    EXPECT_NEAR(static_cast<double>(found[0].at), 12, 1);
    EXPECT_NEAR(static_cast<double>(found[1].at), 22, 1);
    EXPECT_GT(found[0].after, found[0].before);
    EXPECT_LT(found[1].after, found[1].before);
}

// 400 series without a change; the test's level is 1 %. By the binomial distribution more than 10 have a
// chance of 0.3 %.
TEST(ChangePoints, NoiseRaisesFewFalseAlarms) {
    int alarms = 0;
    for (uint64_t seed = 0; seed < 400; ++seed)
        alarms += find_change_points(runs(levels({{30, 0}}), 1000 + seed)).empty() ? 0 : 1;
    RecordProperty("false_alarms_of_400", alarms);
    EXPECT_LE(alarms, 10);
}

TEST(ChangePoints, OneSlowRunIsNone) {
    auto series = runs(levels({{20, 0}}), 3);
    series[9] = 300'000'000;
    EXPECT_TRUE(find_change_points(series).empty());
    series = runs(levels({{20, 0}}), 3);
    series.back() = 300'000'000;
    EXPECT_TRUE(find_change_points(series).empty());
}

TEST(ChangePoints, NothingIsMadeOfLittle) {
    EXPECT_TRUE(find_change_points({}).empty());
    EXPECT_TRUE(find_change_points(std::vector<int64_t>{1, 1, 9, 9, 9}).empty());
    EXPECT_TRUE(find_change_points(std::vector<int64_t>(50, 7)).empty());
    EXPECT_TRUE(find_change_points(std::vector<int64_t>{1, 2, 3, 11, 12, 13}).empty())
        << "3 and 3: p is 0.1 at least";
}

TEST(ChangePoints, TheSameSeriesGivesTheSameAnswer) {
    const auto series = runs(levels({{10, 0}, {10, 2'000'000}}), 11);
    const auto first = find_change_points(series), second = find_change_points(series);
    ASSERT_EQ(first.size(), second.size());
    for (size_t i = 0; i < first.size(); ++i)
        EXPECT_EQ(first[i].p, second[i].p);
}

}  // namespace
}  // namespace opsight::query
