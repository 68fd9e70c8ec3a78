// Bounds of what one rank of a job loses, for which the others wait, and of what few iterations lose.
#include <gmock/gmock.h>

#include "advise/iteration_times.h"
#include "advise/test_ranks.h"

namespace opsight::advise {
namespace {

using ::testing::HasSubstr;

// Two ranks, six steps of 10 ms: the rank that is slow loads data for 3 ms and the other for 0.2 ms, both
// compute for 3 ms, and a reduction that moves data for 0.5 ms ends on both at once.
struct SlowLoader {
    bool by_turns = false, reduces = true;
    int64_t recorded = 2;  // ranks

    void step(TestProfile& t, int64_t number, bool slow, int64_t& correlation) const {
        const int64_t begin = 10 * kMs * number, loading = slow ? 3 * kMs : 200 * kUs;
        t.annotation("ProfilerStep#" + std::to_string(number), begin, 10 * kMs, t.thread());
        t.host(HostKind::kDataLoad, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", begin,
               loading, t.thread());
        t.op("ConvolutionBackward0", begin + loading + 10 * kUs, 40 * kUs);
        DeviceSpan kernel;
        kernel.begin = begin + loading + 100 * kUs;
        kernel.dur = 3 * kMs;
        launch(t, kernel, correlation, "ampere_sgemm_128x64_nn", 50 * kUs);
        if (!reduces) return;
        DeviceSpan reduction;
        reduction.begin = kernel.begin + kernel.dur;
        reduction.dur = begin + 6600 * kUs - reduction.begin;
        reduction.collective = all_reduce(t, 2);
        launch(t, reduction, correlation, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)",
               50 * kUs);
    }
    Advice ask(const char* rule) const {
        Recorded r;
        r.t.builder.info().frameworks = {"PyTorch"};
        for (int64_t rank = 0; rank < recorded; ++rank) {
            if (rank > 0) r.t.add_rank(rank);
            r.t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0).sm_count = 108;
            for (int64_t i = 0; i < 6; ++i)
                step(r.t, i, rank == (by_turns ? i % 2 : 1), r.next);
        }
        return r.ask(rule);
    }
};

// Without the loader each step is 2.8 ms shorter, and not half of that: the other rank waits no more.
TEST(IterationTimes, WhatOneLosesAllLose) {
    for (const bool by_turns : {false, true}) {
        const Advice advice = SlowLoader{.by_turns = by_turns}.ask("data_loading");
        ASSERT_EQ(advice.findings.size(), 1U);
        const Bound& bound = *advice.findings[0].bound;
        EXPECT_GE(bound.ns, 2800 * kUs) << by_turns;
        EXPECT_LE(bound.ns, 3000 * kUs) << by_turns;
        EXPECT_THAT(bound.formula, HasSubstr("for which the others wait"));
        EXPECT_EQ(advice.combined->ns, bound.ns);
    }
}

// Ranks without a collective do not wait for each other.
TEST(IterationTimes, OfRanksThatDoNotWaitForEachOtherBoundsAreAverages) {
    const Advice advice = SlowLoader{.reduces = false}.ask("data_loading");
    ASSERT_EQ(advice.findings.size(), 1U);
    EXPECT_LE(advice.findings[0].bound->ns, 1600 * kUs);
}

// Smaller buckets change nothing of what ranks wait for the last one; of one rank alone that is not known.
TEST(IterationTimes, WaitsInReductionsAreNotLateReductions) {
    EXPECT_TRUE(SlowLoader{}.ask("late_collectives").findings.empty());
    const Advice alone = SlowLoader{.recorded = 1}.ask("late_collectives");
    ASSERT_EQ(alone.findings.size(), 1U);
    EXPECT_THAT(alone.findings[0].evidence, HasSubstr("this recording does not tell"));
}

// Twenty steps of 10 ms without a device load for 0.1 ms each, and one of them for 9 ms.
TEST(IterationTimes, AStallOfOneIterationIsNoGainOfEach) {
    for (const bool stalls : {true, false}) {
        Recorded r;
        r.device = false;
        r.begin();
        for (int64_t i = 0; i < r.steps; ++i)
            r.t.host(HostKind::kDataLoad, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                     r.at(i), !stalls || i == 12 ? 9 * kMs : 100 * kUs, r.t.thread());
        const Advice advice = r.ask("data_loading");
        ASSERT_EQ(advice.findings.size(), 1U);
        EXPECT_EQ(advice.findings[0].title.ends_with("of the time, mostly in iteration 12"), stalls)
            << advice.findings[0].title;
        EXPECT_EQ(advice.findings[0].evidence.find("of 20 iterations (12)") != std::string::npos, stalls)
            << advice.findings[0].evidence;
    }
}

IterationTimes twenty(int64_t ranks) {
    IterationTimes iterations;
    for (int64_t rank = 0; rank < ranks; ++rank)
        for (int64_t i = 0; i < 20; ++i)
            iterations.all.push_back({rank, i, 10 * kMs * i, 10 * kMs * (i + 1)});
    return iterations;
}

TEST(IterationTimes, ToldWhereFewIterationsHaveMostOfATime) {
    query::TimeSpans times;
    for (int64_t i = 0; i < 20; ++i)
        times.push_back({0, 10 * kMs * i, 10 * kMs * i + (i == 12 ? 9 * kMs : 100 * kUs)});
    EXPECT_EQ(
        mostly_in_few(twenty(1), times)->sentence(),
        "82.6% of what this may gain lies in 1 of 20 iterations (12); each of the others would gain about "
        "0.10 ms.");
    EXPECT_EQ(
        mostly_in_few(twenty(1), {times[12]})->sentence(),
        "100.0% of what this may gain lies in 1 of 20 iterations (12); each of the others would gain hardly "
        "anything.");
    times[5].end += 8 * kMs;  // two of them then
    EXPECT_THAT(mostly_in_few(twenty(1), times)->sentence(),
                HasSubstr("lies in 2 of 20 iterations (most in 12)"));
    EXPECT_EQ(mostly_in_few(twenty(1), times)->where(), "mostly in 2 of 20 iterations");
    times[6].end += 8 * kMs;
    times[7].end += 8 * kMs;
    EXPECT_FALSE(mostly_in_few(twenty(1), times)) << "a fifth of the iterations are no exception";
    EXPECT_FALSE(mostly_in_few({}, times));
}

TEST(IterationTimes, RanksAreTakenTogether) {
    query::TimeSpans times;
    for (int64_t rank = 0; rank < 2; ++rank)
        for (int64_t i = 0; i < 20; ++i)
            times.push_back({rank, 10 * kMs * i, 10 * kMs * i + (i == 3 && rank == 1 ? 9 * kMs : 100 * kUs)});
    const auto few = mostly_in_few(twenty(2), times);
    ASSERT_TRUE(few);
    EXPECT_EQ(few->where(), "mostly in iteration 3");
    EXPECT_EQ(few->others_ns, 100 * kUs);
}

// What spans several iterations counts in each for its part.
TEST(IterationTimes, ATimeOfTwoIterationsIsParted) {
    const std::vector<int64_t> ns = twenty(1).in_each({{0, 8 * kMs, 13 * kMs}});
    EXPECT_EQ(ns[0], 2 * kMs);
    EXPECT_EQ(ns[1], 3 * kMs);
    EXPECT_EQ(ns[2], 0);
}

}  // namespace
}  // namespace opsight::advise
