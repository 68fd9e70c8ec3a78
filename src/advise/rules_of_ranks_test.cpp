// Rules on several ranks of a job: one that the others wait for, and ranks of like work.
#include <gmock/gmock.h>

#include "advise/test_ranks.h"

namespace opsight::advise {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kRanks = 3;

// Of each step of 10 ms: what the rank computes from 1 ms on, and a reduction that ends at 8 ms on all.
struct Job {
    int64_t slow_ns = 3 * kMs, slow_kernels = 1;  // of rank 1; the others: 3 ms in one
    bool reduces = true;
    int64_t steps = 6;
    bool by_turns = false;  // each step another rank is the slow one
    bool loads = false;     // what makes it slow is that its loader takes as much longer

    void step(TestProfile& t, int64_t number, bool slow, int64_t& correlation) const {
        int64_t begin = 10 * kMs * number;
        const int64_t computing = slow && !loads ? slow_ns : 3 * kMs,
                      late = slow && loads ? slow_ns - 3 * kMs : 0;
        const int64_t kernels = slow ? slow_kernels : 1, reduced = begin + 8 * kMs;
        t.annotation("ProfilerStep#" + std::to_string(number), begin, 10 * kMs, t.thread());
        if (late > 0)
            t.host(HostKind::kDataLoad, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                   begin, late, t.thread());
        begin += late;
        for (int64_t i = 0; i < kernels; ++i) {
            DeviceSpan kernel;
            kernel.begin = begin + kMs + i * computing / kernels;
            kernel.dur = computing / kernels;
            launch(t, kernel, correlation, "ampere_sgemm_128x64_nn", 500 * kUs);
        }
        if (!reduces) return;
        DeviceSpan kernel;
        kernel.begin = begin + kMs + computing;
        kernel.dur = reduced - kernel.begin;
        kernel.collective = all_reduce(t, kRanks);
        launch(t, kernel, correlation, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)",
               500 * kUs);
    }
    Advice ask() const {
        Recorded r;
        r.t.builder.info().frameworks = {"PyTorch"};
        for (int64_t rank = 0; rank < kRanks; ++rank) {
            if (rank > 0) r.t.add_rank(rank);
            r.t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0).sm_count = 108;
            for (int64_t i = 0; i < steps; ++i)
                step(r.t, i, rank == (by_turns ? i % kRanks : 1), r.next);
        }
        return r.ask("unbalanced_ranks");
    }
};

// Of 3 x 6 steps of 10 ms two ranks wait 3 ms in each. The first wait may be of the recording's begin, and is
// not in the share; a run without waits is as much shorter as its longest waiting rank has waited.
TEST(RulesOfRanks, OneThatIsLateIsNamedWithWhatTheOthersWait) {
    const Advice advice = Job{.slow_ns = 6 * kMs}.ask();
    ASSERT_EQ(advice.findings.size(), 1u);
    const Finding& finding = advice.findings[0];
    EXPECT_THAT(finding.title, HasSubstr("16.7% of the time for another, most often for rank 1"));
    EXPECT_NEAR(finding.bound->pct, 100.0 * 18 / 60, 0.1);
    EXPECT_EQ(finding.bound->ns, 3 * kMs);
    EXPECT_EQ(advice.combined->ns, 3 * kMs);
    EXPECT_THAT(finding.evidence, HasSubstr("takes 10.00 ms, that of the other ranks 7.00 ms"));
    EXPECT_THAT(finding.evidence, HasSubstr("makes 30.00 ms of the 30.00 ms"));
    EXPECT_THAT(finding.evidence, HasSubstr("It runs 1.0 kernels an iteration, the others 1.0."));
    EXPECT_THAT(finding.advice, HasSubstr("no more kernels"));
}

TEST(RulesOfRanks, OneWithMoreWorkIsToldSo) {
    const Advice advice = Job{.slow_ns = 6 * kMs, .slow_kernels = 2}.ask();
    ASSERT_EQ(advice.findings.size(), 1u);
    EXPECT_THAT(advice.findings[0].advice, HasSubstr("It has more to do"));
}

// It computes as long as the others, only later: what it does before it comes last is not what makes it late.
TEST(RulesOfRanks, WhatMakesItLateIsTold) {
    const Advice computes = Job{.slow_ns = 6 * kMs}.ask(),
                 loads = Job{.slow_ns = 6 * kMs, .loads = true}.ask();
    ASSERT_EQ(computes.findings.size(), 1u);
    EXPECT_THAT(
        computes.findings[0].evidence,
        HasSubstr("Most of the difference is in computing: 6.00 ms an iteration, 3.00 ms on the others"));
    ASSERT_EQ(loads.findings.size(), 1u);
    EXPECT_THAT(
        loads.findings[0].evidence,
        HasSubstr("Most of the difference is in loading data: 3.00 ms an iteration, 0.00 ms on the others"));
    EXPECT_THAT(loads.findings[0].evidence, ::testing::Not(HasSubstr("computing")));
    EXPECT_THAT(loads.findings[0].advice, HasSubstr("Its input is late"));
}

TEST(RulesOfRanks, OfLikeWorkNothingIsSaid) {
    const Advice advice = Job{}.ask();
    EXPECT_TRUE(advice.findings.empty());
    EXPECT_TRUE(advice.not_checked.empty());
}

// They wait as long, but for no rank in particular.
TEST(RulesOfRanks, OfLateOnesByTurnsNothingIsSaid) {
    const Advice advice = Job{.slow_ns = 6 * kMs, .by_turns = true}.ask();
    EXPECT_TRUE(advice.findings.empty());
    EXPECT_TRUE(advice.not_checked.empty());
}

TEST(RulesOfRanks, OfTwoIterationsNothingIsKnown) {
    const Advice advice = Job{.slow_ns = 6 * kMs, .steps = 2}.ask();
    EXPECT_TRUE(advice.findings.empty());
    ASSERT_EQ(advice.not_checked.size(), 1u);
    EXPECT_THAT(advice.not_checked[0].why, HasSubstr("fewer than three iterations"));
}

TEST(RulesOfRanks, WithoutCollectivesNothingWasChecked) {
    const Advice advice = Job{.slow_ns = 6 * kMs, .reduces = false}.ask();
    EXPECT_TRUE(advice.findings.empty());
    ASSERT_EQ(advice.not_checked.size(), 1u);
    EXPECT_EQ(advice.not_checked[0].why, "no collectives of a device were recorded");
}

// Ranks are called as in their job, not as they follow each other in the profile.
TEST(RulesOfRanks, PlacesNameTheRanksOfTheJob) {
    TestProfile t;
    t.add_rank(7);
    for (int64_t i = 0; i < 10; ++i) {
        t.annotation("ProfilerStep#" + std::to_string(i), 10 * kMs * i, 10 * kMs, t.thread());
        t.op("aten::item", 10 * kMs * i + kMs, 5 * kMs, t.thread());
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    const auto advice = advise(session, {.rules = {"scalar_reads"}});
    ASSERT_TRUE(advice.has_value());
    ASSERT_EQ(advice->findings.size(), 1u);
    ASSERT_FALSE(advice->findings[0].places.empty());
    EXPECT_EQ(advice->findings[0].places[0].rank, 7);
}

}  // namespace
}  // namespace opsight::advise
