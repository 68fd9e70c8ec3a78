// Pauses of a device that are not the host's, lost work, pauses of the recording, devices without Tensor
// Cores.
#include <gmock/gmock.h>

#include "advise/test_findings.h"
#include "advise/test_rules.h"

namespace opsight::advise {
namespace {

using ::testing::HasSubstr;

// Each step of 10 ms: from 2.1 ms on 600 kernels of 10 us and 3 us between them, and a wait for them that
// begins at 1 ms. Launched in the first ms of the step, or each as the one before ends.
Recorded steps_of_kernels(bool queued, const char* wait = "cudaStreamSynchronize") {
    Recorded r;
    r.kernel_ns = 10 * kUs;
    r.begin();
    for (int64_t i = 0; i < r.steps; ++i) {
        for (int64_t k = 0; k < 600; ++k) {
            const int64_t begin = Recorded::at(i) + 2100 * kUs + 13 * kUs * k;
            r.launched("elementwise_kernel", queued ? Recorded::at(i) + 300 * kUs + k * kUs : begin - 2 * kUs,
                       begin, 10 * kUs);
        }
        if (queued) r.t.api(wait, Recorded::at(i) + 1000 * kUs, 8900 * kUs, r.t.thread(), r.next++);
    }
    return r;
}

// Of the time 18 % lie between kernels that were launched long before: no wait makes these pauses. The 20 %
// from the last kernel of a step to the first of the next are the host's.
TEST(DevicePauses, BetweenQueuedKernelsAreNotTheHosts) {
    for (const char* wait : {"cudaStreamSynchronize", "urQueueFinish"}) {
        const Advice waits = steps_of_kernels(true, wait).ask("synchronization");
        ASSERT_EQ(waits.findings.size(), 1u) << wait;
        EXPECT_NEAR(waits.findings[0].share_pct.value_or(100), 20, 0.5);
    }
    for (const bool queued : {true, false}) {
        const Advice host = steps_of_kernels(queued).ask("host_bound");
        ASSERT_FALSE(host.findings.empty());
        bool told = false;
        for (const Finding& finding : host.findings)
            told |= finding.evidence.find("which was launched already") != std::string::npos;
        EXPECT_EQ(told, queued);
    }
}

// What is surely lost and what is to gain at most may be far apart: the bound says why.
TEST(DevicePauses, ABoundFarFromItsShareSaysWhy) {
    int64_t far = 0;
    for (const char* rule : {"host_bound", "synchronization", "beside_ops"})
        for (const bool queued : {true, false})
            for (const Finding& finding : steps_of_kernels(queued).ask(rule).findings) {
                if (!finding.bound || !finding.share_pct) continue;
                const double share = *finding.share_pct, bound = finding.bound->pct;
                const bool differs = std::abs(share - bound) >= 1 && (share > 2 * bound || bound > 2 * share);
                far += differs;
                EXPECT_EQ(finding.bound->formula.find(" than the share of ") != std::string::npos, differs)
                    << finding.title << ": " << share << " and " << bound;
            }
    EXPECT_GT(far, 0);
}

// Half of the kernels are missing: what the calls of copies wait for may be among them.
TEST(DevicePauses, OfCopiesBesideLostKernelsNothingIsClaimed) {
    for (const bool lost : {true, false}) {
        Recorded r;
        r.begin();
        for (int64_t i = 0; i < r.steps; ++i) {
            const int64_t at = Recorded::at(i);
            r.t.api("cudaMemcpyAsync", at + 200 * kUs, 1700 * kUs, r.t.thread(), r.next);
            DeviceSpan copy;
            copy.begin = at + 210 * kUs, copy.dur = 1600 * kUs, copy.bytes = 1'000'000;
            copy.track = r.t.stream(8), copy.kind = DeviceKind::kMemcpy, copy.correlation = r.next++;
            copy.transfer = r.t.builder.transfer(transfer_of_name("Memcpy HtoD (Pageable -> Device)"));
            r.t.device(copy, "Memcpy HtoD (Pageable -> Device)");
            if (lost) r.t.api("cudaLaunchKernel", at + 150 * kUs, 5 * kUs, r.t.thread(), r.next++);
        }
        const Advice found = r.ask("pageable_copies");
        ASSERT_EQ(found.findings.size(), 1u);
        EXPECT_EQ(found.findings[0].kind, lost ? "unknown" : "problem");
        EXPECT_EQ(found.findings[0].bound.has_value(), !lost);
    }
}

// Calls that launch, and no work of a device at all.
TEST(DevicePauses, WhereNoDeviceWasRecordedNothingIsSaidOfIt) {
    Recorded r;
    r.device = false;
    r.begin();
    for (int64_t i = 0; i < r.steps; ++i)
        for (int64_t k = 0; k < 10; ++k)
            r.t.api("cudaLaunchKernel", Recorded::at(i) + k * 200 * kUs, 100 * kUs, r.t.thread(), r.next++);
    const Advice found = r.ask("beside_ops");
    ASSERT_FALSE(found.findings.empty());
    for (const Finding& finding : found.findings) {
        EXPECT_EQ(finding.kind, "unknown") << finding.title;
        EXPECT_EQ(finding.title.find("GPU work"), std::string::npos) << finding.title;
        EXPECT_FALSE(finding.bound);
    }
}

// Steps 0 to 19, then 60 to 79: nothing was recorded between, which is in no share.
TEST(DevicePauses, OfTheRecordingAreInNoShare) {
    Recorded r;
    r.begin();
    for (int64_t i = 60; i < 80; ++i) {
        r.t.annotation("ProfilerStep#" + std::to_string(i), Recorded::at(i), 10 * kMs, r.t.thread());
        r.launched("ampere_sgemm_128x64_nn", Recorded::at(i) + 100 * kUs, Recorded::at(i) + 2 * kMs, 8 * kMs);
    }
    for (const Finding& finding : r.ask("beside_ops").findings)
        EXPECT_LT(finding.share_pct.value_or(0), 30) << finding.title;
}

// One op in between: whether all else was recorded is not certain.
TEST(DevicePauses, OfTheRecordingAreNotThePrograms) {
    Recorded r;
    r.begin();
    r.t.op("aten::add", Recorded::at(40), kMs);
    for (int64_t i = 60; i < 80; ++i) {
        r.t.annotation("ProfilerStep#" + std::to_string(i), Recorded::at(i), 10 * kMs, r.t.thread());
        r.launched("ampere_sgemm_128x64_nn", Recorded::at(i) + 100 * kUs, Recorded::at(i) + 2 * kMs, 8 * kMs);
    }
    const Advice found = r.ask("beside_ops");
    ASSERT_FALSE(found.findings.empty());
    const Finding& finding = found.findings[0];
    EXPECT_EQ(finding.kind, "unknown");
    EXPECT_THAT(finding.title, HasSubstr("the recording pauses"));
    EXPECT_THAT(finding.evidence, HasSubstr("40, which ran in 400.00 ms"));
}

// Two ranks pause together: the steps are those of one.
TEST(DevicePauses, OfSeveralRanksAreNotAddedUp) {
    Recorded r;
    r.begin();
    r.t.op("aten::add", Recorded::at(40), kMs);
    for (int64_t rank = 0; rank < 2; ++rank) {
        if (rank > 0) {
            r.t.add_rank(rank);
            r.t.op("aten::add", Recorded::at(40), kMs);
        }
        for (int64_t i = rank > 0 ? 0 : 60; i < 80; i = i == 19 ? 60 : i + 1)
            r.t.annotation("ProfilerStep#" + std::to_string(i), Recorded::at(i), 10 * kMs,
                           r.t.thread(1, 100 + rank));
    }
    const Advice found = r.ask("beside_ops");
    ASSERT_FALSE(found.findings.empty());
    EXPECT_THAT(found.findings[0].evidence, HasSubstr("40, which ran in 400.00 ms"));
}

// The numbers in a server's marks are sizes of batches.
TEST(DevicePauses, IdleTimeOfAServerIsNotAPauseOfTheRecording) {
    Recorded r;
    r.t.builder.info().frameworks = {"PyTorch"};
    r.t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0).sm_count = 108;
    for (int64_t i = 0; i < 20; ++i) {
        const int64_t at = i * 50 * kMs;
        r.t.annotation("step[DECODE bs=" + std::to_string(1 + 3 * (i % 5)) + "]", at, 10 * kMs, r.t.thread());
        r.launched("ampere_sgemm_128x64_nn", at + 100 * kUs, at + 2 * kMs, 8 * kMs);
    }
    const Advice found = r.ask("beside_ops");
    ASSERT_FALSE(found.findings.empty());
    for (const Finding& finding : found.findings)
        EXPECT_THAT(finding.title, ::testing::Not(HasSubstr("recording pauses")));
}

// Iterations of two lengths with short marks are not ones whose mark is missing.
TEST(DevicePauses, ShortMarksTellNothingOfWhatLiesBetween) {
    Recorded r;
    r.t.builder.info().frameworks = {"PyTorch"};
    r.t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0).sm_count = 108;
    int64_t at = 0;
    for (int64_t i = 0; i < 20; ++i) {
        r.t.annotation("ProfilerStep#" + std::to_string(i), at, 2 * kMs, r.t.thread());
        r.launched("ampere_sgemm_128x64_nn", at + 100 * kUs, at + 2 * kMs, 7 * kMs);
        at += (i % 5 < 2 ? 30 : 10) * kMs;
    }
    const Advice found = r.ask("uneven_iterations");
    ASSERT_EQ(found.findings.size(), 1u);
    EXPECT_THAT(found.findings[0].title, ::testing::Not(HasSubstr("lie between")));
}

}  // namespace
}  // namespace opsight::advise
