#include "query/compare/statistics.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace opsight::query {
namespace {

using Samples = std::vector<int64_t>;

TEST(RankTest, ExactValuesOfSmallSets) {
    // All of one side above the other: two of the C(10, 5) = 252 orders are as far apart.
    EXPECT_DOUBLE_EQ(rank_test(Samples{1, 2, 3, 4, 5}, Samples{6, 7, 8, 9, 10}), 2.0 / 252);
    EXPECT_DOUBLE_EQ(least_p(5, 5), 2.0 / 252);
    // Ranks of the base 1, 2, 4: sum 7; sums of at most 7 are 1+2+3 and 1+2+4, 2 of 20 orders.
    EXPECT_DOUBLE_EQ(rank_test(Samples{10, 20, 40}, Samples{30, 50, 60}), 2 * 2.0 / 20);
    EXPECT_DOUBLE_EQ(rank_test(Samples{7, 7, 7}, Samples{7, 7, 7}), 1);
    EXPECT_DOUBLE_EQ(rank_test(Samples{1}, Samples{2}), 1);
}

// Of ties: ranks 1.5, 1.5, 3, 4 with the base {1.5, 3}; of the six pairs (doubled sums 6, 9, 11, 9, 11, 14)
// three have at most 9.
TEST(RankTest, TiesHaveTheMiddleOfTheirRanks) {
    EXPECT_DOUBLE_EQ(rank_test(Samples{5, 6}, Samples{5, 7}), 1);
    EXPECT_DOUBLE_EQ(rank_test(Samples{5, 5}, Samples{6, 7}), 2 * 1.0 / 6);
}

TEST(RankTest, TheApproximationMeetsTheExactValues) {
    // 10 and 11 samples are the first to be approximated; scipy.stats.mannwhitneyu(method="exact") of these:
    // 0.00512.
    Samples base(10), next(11);
    std::iota(base.begin(), base.end(), 0);
    std::iota(next.begin(), next.end(), 0);
    for (int64_t& each : base)
        each = each * 2 + 1;
    for (int64_t& each : next)
        each = each * 2 + 14;
    const double p = rank_test(base, next);
    EXPECT_NEAR(p, 0.00017, 0.0005) << "0.00017 is exact";
    EXPECT_GT(p, 0);
    EXPECT_DOUBLE_EQ(p, rank_test(next, base));
}

TEST(CompareSamples, AShiftIsFoundWithItsInterval) {
    Samples base, next;
    for (int64_t i = 0; i < 12; ++i) {
        base.push_back(1000 + 3 * i);
        next.push_back(1070 + 3 * i);
    }
    const SampleDifference found = compare_samples(base, next);
    EXPECT_EQ(found.base_median, 1017);  // between 1015 and 1018, half a ns upwards
    EXPECT_EQ(found.next_median, 1087);
    EXPECT_EQ(found.shift, 70);
    EXPECT_EQ(found.verdict, Verdict::kReal);
    EXPECT_DOUBLE_EQ(*found.effect, 1);
    EXPECT_LT(*found.low, 70);
    EXPECT_GT(*found.low, 50);
    EXPECT_GT(*found.high, 70);
    EXPECT_LT(*found.high, 90);
    EXPECT_EQ(compare_samples(next, base).shift, -70);
    EXPECT_EQ(*compare_samples(next, base).low, -*found.high);
}

// The interval of n = m = 5 leaves out two of the 25 differences at each end: P(U <= 2) = 4/252 is the last
// below 2.5 %.
TEST(CompareSamples, TheIntervalIsExactForFewSamples) {
    const SampleDifference found = compare_samples(Samples{0, 100, 200, 300, 400}, Samples{1, 2, 3, 4, 5});
    // Differences in order: -399, -398, -397, ...
    EXPECT_EQ(found.low, -397);
    EXPECT_EQ(found.high, 3);
    EXPECT_FALSE(compare_samples(Samples{1, 2}, Samples{3, 4}).low.has_value());
}

TEST(CompareSamples, OneSampleOrFewTellNothing) {
    EXPECT_EQ(compare_samples(Samples{5}, Samples{9}).verdict, Verdict::kSingle);
    EXPECT_FALSE(compare_samples(Samples{5}, Samples{9, 10, 11}).p.has_value());
    EXPECT_EQ(compare_samples(Samples{5, 6, 7}, Samples{90, 91, 92}).verdict, Verdict::kTooFew);
    EXPECT_EQ(compare_samples(Samples{5, 6}, Samples{6, 5}).verdict, Verdict::kEqual);
    EXPECT_EQ(compare_samples(Samples{5}, Samples{5}).shift, 0);
}

TEST(CompareSamples, OneOutlierMovesNeitherMedianNorVerdict) {
    const Samples base{100, 101, 102, 103, 104, 105, 106, 107, 108, 109};
    Samples next = base;
    next.back() = 100'000;
    const SampleDifference found = compare_samples(base, next);
    EXPECT_EQ(found.next_median, found.base_median);
    EXPECT_EQ(found.verdict, Verdict::kNoise);
}

TEST(CompareSamples, TimesAtTheEndsOfTheRangeDoNotOverflow) {
    const int64_t most = std::numeric_limits<int64_t>::max();
    EXPECT_EQ(compare_samples(Samples{0, 0}, Samples{most, most}).shift, most);
    EXPECT_EQ(compare_samples(Samples{most, most}, Samples{0, 0}).shift, -most);
}

// What comes of one distribution is called real in about one of a hundred pairs, whatever its form.
TEST(CompareSamples, SamplesOfOneDistributionRarelyDiffer) {
    std::mt19937_64 random(17);
    std::lognormal_distribution<double> times(13, 0.2);
    constexpr int kPairs = 2000;
    int real = 0, covered = 0;
    for (int pair = 0; pair < kPairs; ++pair) {
        Samples base(5 + random() % 30), next(5 + random() % 30);
        for (Samples* each : {&base, &next})
            for (int64_t& ns : *each)
                ns = std::llround(times(random));
        const SampleDifference found = compare_samples(base, next);
        real += found.verdict == Verdict::kReal ? 1 : 0;
        covered += *found.low <= 0 && *found.high >= 0 ? 1 : 0;
    }
    EXPECT_LT(real, kPairs * 0.02);
    EXPECT_GT(covered, kPairs * 0.94);
    EXPECT_LT(covered, kPairs * 0.985);
}

TEST(SharedOut, PartsAddUpToTheRoundedMean) {
    std::mt19937_64 random(5);
    for (int round = 0; round < 2000; ++round) {
        Samples totals(1 + random() % 12);
        for (int64_t& each : totals)
            each = static_cast<int64_t>(random() % 1'000'000) - (round % 3 == 0 ? 1000 : 0);
        const auto count = static_cast<int64_t>(1 + random() % 40);
        const int64_t all = std::accumulate(totals.begin(), totals.end(), int64_t{0});
        const Samples parts = shared_out(totals, count);
        const double mean = static_cast<double>(all) / static_cast<double>(count);
        EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), int64_t{0}),
                  static_cast<int64_t>(std::floor(mean + 0.5)));
        for (size_t i = 0; i < totals.size(); ++i) {
            EXPECT_LE(parts[i] * count, totals[i] + count);
            EXPECT_GT(parts[i] * count, totals[i] - count);
        }
    }
    EXPECT_EQ(shared_out(Samples{10, 10, 10}, 3), (Samples{4, 3, 3}));
}

}  // namespace
}  // namespace opsight::query
