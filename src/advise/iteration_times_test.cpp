// Bounds of what one rank of a job loses, for which the others wait.
#include <gmock/gmock.h>

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
TEST(SlowRanks, WhatOneLosesAllLose) {
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
TEST(SlowRanks, OfRanksThatDoNotWaitForEachOtherBoundsAreAverages) {
    const Advice advice = SlowLoader{.reduces = false}.ask("data_loading");
    ASSERT_EQ(advice.findings.size(), 1U);
    EXPECT_LE(advice.findings[0].bound->ns, 1600 * kUs);
}

// Smaller buckets change nothing of what ranks wait for the last one; of one rank alone that is not known.
TEST(SlowRanks, WaitsInReductionsAreNotLateReductions) {
    EXPECT_TRUE(SlowLoader{}.ask("late_collectives").findings.empty());
    const Advice alone = SlowLoader{.recorded = 1}.ask("late_collectives");
    ASSERT_EQ(alone.findings.size(), 1U);
    EXPECT_THAT(alone.findings[0].evidence, HasSubstr("this recording does not tell"));
}

}  // namespace
}  // namespace opsight::advise
