#include "query/reports/iteration_shares.h"

#include <gtest/gtest.h>

namespace opsight::query {
namespace {

std::vector<IterationShares> of(int64_t rank, const std::vector<int64_t>& times, bool selected = true) {
    std::vector<IterationShares> list;
    for (const int64_t ns : times) {
        IterationShares each;
        each.rank = rank;
        each.dur_ns = ns;
        each.selected = selected;
        list.push_back(each);
    }
    return list;
}

std::vector<RankPace> paces(std::vector<std::vector<IterationShares>> parts) {
    std::vector<IterationShares> all;
    for (const auto& part : parts)
        all.insert(all.end(), part.begin(), part.end());
    return rank_paces(all);
}

TEST(RankPaces, TheSlowestIsThatOfTheLongestMean) {
    // Rank 0 has more iterations, and so more time, and a slow one outside of the range.
    const auto found =
        paces({of(0, {100, 102, 98, 100}), of(0, {9000}, false), of(3, {150, 152}), of(7, {90, 92})});
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].rank, 0);
    EXPECT_EQ(found[0].iterations, 4);
    EXPECT_EQ(found[0].mean_ns, 100);
    EXPECT_EQ(found[0].deviation_ns, 2);  // sqrt(8 / 3)
    EXPECT_FALSE(found[0].slowest);
    EXPECT_EQ(found[1].mean_ns, 151);
    EXPECT_TRUE(found[1].slowest);
    EXPECT_FALSE(found[2].slowest);
}

TEST(RankPaces, ChanceMakesNoneTheSlowest) {
    for (const auto& found :
         {paces({of(0, {100, 140}), of(1, {110, 150})}), paces({of(0, {1000}), of(1, {1001})}),
          paces({of(0, {100, 140}), of(1, {130})}), paces({of(0, {1000, 1002}), of(1, {1040})}),
          paces({of(0, {100, 100}), of(1, {100, 100})}), paces({of(0, {1, 2})}), paces({})})
        for (const RankPace& pace : found)
            EXPECT_FALSE(pace.slowest) << pace.rank;
}

TEST(RankPaces, ARankOfOneIterationIsComparedToo) {
    const auto found = paces({of(0, {14}), of(1, {20})});
    ASSERT_EQ(found.size(), 2u);
    EXPECT_FALSE(found[0].slowest);
    EXPECT_TRUE(found[1].slowest);
    EXPECT_FALSE(found[1].spread_known);
    EXPECT_FALSE(found[1].deviation_ns.has_value()) << "one iteration tells none";
    EXPECT_TRUE(paces({of(0, {100, 102}), of(1, {150})})[1].slowest);
    EXPECT_TRUE(paces({of(0, {100, 102}), of(1, {150, 151})})[1].spread_known);
}

TEST(RankPaces, OfNoIterationInTheRangeNothingIsKnown) {
    const auto found = paces({of(0, {100, 102}), of(1, {500}, false)});
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[1].iterations, 0);
    EXPECT_FALSE(found[1].mean_ns.has_value());
    EXPECT_FALSE(found[0].slowest) << "there is nothing to compare with";
}

}  // namespace
}  // namespace opsight::query
