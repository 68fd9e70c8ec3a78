// Findings on what moves data: the cause is named where the recording tells it, and no advice that cannot
// help.
#include "advise/test_findings.h"

namespace opsight::advise {
namespace {

using query::RangeOptions;
using query::Session;
using query::StoredProfile;

constexpr int64_t kMs = 1'000'000;

DeviceSpan copy_of(analyze::TestProfile& t, int64_t begin, int64_t dur, int64_t bytes) {
    DeviceSpan copy;
    copy.begin = begin;
    copy.dur = dur;
    copy.bytes = bytes;
    copy.track = t.stream();
    copy.kind = DeviceKind::kMemcpy;
    copy.transfer = t.builder.transfer(transfer_of_name("Memcpy HtoD (Pinned -> Device)"));
    return copy;
}

TEST(FindingsOfData, LittleComputeHidesLittleCopying) {
    for (const bool little : {true, false}) {
        analyze::TestProfile t;
        t.api("cudaMemcpyAsync", 0, 1000, t.thread());
        t.device(copy_of(t, 0, 80 * kMs, 800'000'000), "Memcpy HtoD (Pinned -> Device)");
        t.kernel("k", 80 * kMs, little ? 5 * kMs : 80 * kMs, t.stream());
        const std::vector<Finding> all = findings_in(std::move(t));
        const Finding* copies = find(all, "copies");
        ASSERT_TRUE(copies);
        EXPECT_EQ(copies->evidence, "Most of it: 1 HtoD copy, 0.80 GB, at 10.0 GB/s.");
        EXPECT_EQ(copies->advice.find("hide little") != std::string::npos, little) << copies->advice;
    }
}

TEST(FindingsOfData, WithoutKernelsNothingHidesCopies) {
    for (const bool lost : {true, false}) {
        analyze::TestProfile t;
        t.api(lost ? "cudaLaunchKernel" : "cudaMemcpyAsync", 0, 1000, t.thread(), 1);
        t.device(copy_of(t, 0, 80 * kMs, 800'000'000), "Memcpy HtoD (Pinned -> Device)");
        const std::vector<Finding> all = findings_in(std::move(t));
        const Finding* copies = find(all, "copies");
        ASSERT_TRUE(copies);
        EXPECT_EQ(copies->advice,
                  std::string(lost ? "No kernels were recorded, so what runs beside the copies is not known."
                                   : "No kernels were recorded that copies could run beside.") +
                      " Data that stays on the device, or less of it, spares the copies.");
    }
}

// Kernels of the other launches may have run beside the copies.
TEST(FindingsOfData, CopiesBesideLostKernelsMayBeHidden) {
    for (const bool lost : {true, false}) {
        analyze::TestProfile t;
        for (int64_t i = 0; i < 10; ++i) {
            t.api("cudaLaunchKernel", i * kMs, 1000, t.thread(), i + 1);
            if (!lost || i < 5) t.kernel("k", 100 * kMs + i * kMs, kMs, t.stream(), i + 1);
        }
        t.device(copy_of(t, 10 * kMs, 80 * kMs, 800'000'000), "Memcpy HtoD (Pinned -> Device)");
        const std::vector<Finding> all = findings_in(std::move(t));
        const Finding* copies = find(all, "copies");
        ASSERT_TRUE(copies);
        EXPECT_EQ(copies->title.find("no recorded kernel") != std::string::npos, lost) << copies->title;
        EXPECT_EQ(copies->evidence.find("The device work of 5 launches, 50.0%") != std::string::npos, lost)
            << copies->evidence;
    }
}

// Rank 1 comes last to each collective: the others' kernels wait for it.
analyze::TestProfile two_ranks(const char* kernel, int64_t late, int64_t skew = 0) {
    analyze::TestProfile t;
    for (int64_t rank = 0; rank < 2; ++rank) {
        if (rank == 1) t.add_rank(1);
        for (int64_t i = 0; i < 4; ++i) {
            const int64_t end = 100 * kMs * (i + 1) + rank * skew;
            t.op("aten::add", end - 90 * kMs, kMs);
            t.kernel(kernel, rank == 0 ? end - late : end - kMs, rank == 0 ? late : kMs, t.stream());
        }
    }
    return t;
}

TEST(FindingsOfData, TheRankThatCollectivesWaitForIsNamed) {
    for (const char* kernel : {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)",
                               "ncclDevKernel_SendRecv(ncclDevKernelArgs)"}) {
        const std::vector<Finding> all = findings_in(two_ranks(kernel, 50 * kMs));
        const Finding* found = find(all, "communication");
        ASSERT_TRUE(found) << kernel;
        EXPECT_NE(found->evidence.find("matched by order: 196.00 ms of 204.00 ms"), std::string::npos)
            << found->evidence;
        EXPECT_NE(found->evidence.find("Of the others rank 1 is the last in 3, and makes 147.00 ms"),
                  std::string::npos)
            << found->evidence;
        EXPECT_NE(found->evidence.find("49.00 ms of it is in the first"), std::string::npos)
            << found->evidence;
        EXPECT_NE(found->advice.find("Not the network"), std::string::npos) << found->advice;
    }
}

// Ranks whose recordings begin at different moments meet in their first collective.
TEST(FindingsOfData, WaitingInTheFirstCollectiveBlamesNoRank) {
    analyze::TestProfile t;
    for (int64_t rank = 0; rank < 2; ++rank) {
        if (rank == 1) t.add_rank(1);
        for (int64_t i = 0; i < 3; ++i) {
            const int64_t dur = rank == 0 && i == 0 ? 60 * kMs : kMs;
            t.op("aten::add", 100 * kMs * i, kMs);
            t.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)",
                     100 * kMs * i + 70 * kMs - dur, dur, t.stream());
        }
    }
    const std::vector<Finding> all = findings_in(std::move(t));
    const Finding* found = find(all, "communication");
    ASSERT_TRUE(found);
    EXPECT_NE(found->evidence.find("59.00 ms of it is in the first"), std::string::npos) << found->evidence;
    EXPECT_NE(found->advice.find("record more iterations"), std::string::npos) << found->advice;
}

TEST(FindingsOfData, SendsAreNamedAndThoseThatDoNotEndTogetherAreNoCollective) {
    const std::vector<Finding> all =
        findings_in(two_ranks("ncclDevKernel_SendRecv(ncclDevKernelArgs)", 50 * kMs, 10 * kMs));
    const Finding* found = find(all, "communication");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->evidence.rfind("2 ranks. Point-to-point kernels (sends and receives, ", 0), 0u)
        << found->evidence;
    EXPECT_EQ(found->evidence.find("collectives"), std::string::npos) << found->evidence;
}

TEST(FindingsOfData, ALongCallForInputIsNoTimeToGain) {
    for (const int64_t calls : {1, 40}) {
        analyze::TestProfile t;
        t.op("aten::add", 0, kMs);
        const int64_t each = 2000 * kMs / calls;
        for (int64_t i = 0; i < calls; ++i)
            t.host(HostKind::kOsRuntime, "getc", kMs + i * each, each, t.thread());
        t.host(HostKind::kOsRuntime, "poll", 0, 2002 * kMs, t.thread(2));
        t.op("aten::add", 2001 * kMs, kMs);
        const std::vector<Finding> all = findings_in(std::move(t));
        const Finding* found = find(all, "file_io");
        ASSERT_TRUE(found);
        EXPECT_EQ(found->kind, calls == 1 ? "unknown" : "problem");
        EXPECT_EQ(found->evidence.rfind("getc takes 2000.00 ms", 0), 0u) << found->evidence;
    }
}

}  // namespace
}  // namespace opsight::advise
