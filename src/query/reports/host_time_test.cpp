#include "query/reports/host_time.h"

#include "query/reports/findings.h"
#include "query/session/test_session.h"

namespace opsight::query {
namespace {

constexpr int64_t kMs = 1'000'000;

// Ten steps of 10 ms: a call, then a kernel of 1 ms.
struct Steps {
    TestProfile t;

    void add(const char* call, int64_t call_ns, int64_t longer_first = 0, int64_t kernel_ns = kMs) {
        int64_t at = 0;
        for (int64_t i = 0; i < 10; ++i) {
            const int64_t length = call_ns + (i == 0 ? longer_first : 0);
            t.api(call, at, length, t.thread(), 100 + i);
            t.api("cudaLaunchKernel", at + length, 5'000, t.thread(), i + 1);
            t.kernel("elementwise_kernel", at + length + 10'000, kernel_ns, t.stream(), i + 1);
            at += length + kernel_ns + 10'000;
        }
    }
    Finding host() {
        const StoredProfile stored(std::move(t));
        Session session = stored.open({.whole = true});
        const auto all = find_findings(session);
        EXPECT_TRUE(all.has_value());
        for (const Finding& finding : *all)
            if (finding.id == "host") return finding;
        ADD_FAILURE() << "nothing on the host";
        return {};
    }
};

TEST(HostTime, NamesTheCallsThatTakeIt) {
    Steps steps;
    steps.add("cudaFree", 8 * kMs);
    const Finding found = steps.host();
    EXPECT_NE(found.title.find("most of it in cudaFree"), std::string::npos) << found.title;
    EXPECT_NE(found.evidence.find("80.00 ms of that, in 10 calls; the longest lasts 8.00 ms"),
              std::string::npos)
        << found.evidence;
    EXPECT_NE(found.advice.find("pool"), std::string::npos) << found.advice;
    EXPECT_EQ(found.advice.find("batches"), std::string::npos) << found.advice;
}

TEST(HostTime, ASingleLongCallIsAStartUp) {
    Steps steps;
    steps.add("cudaStreamCreate", kMs, 100 * kMs);
    const Finding found = steps.host();
    EXPECT_NE(found.advice.find("start-up"), std::string::npos) << found.advice;
}

// The CPU is the one that waits: nothing says that work would have been there for the device.
TEST(HostTime, AWaitOfTheCpuIsNotAWaitOfTheDevice) {
    Steps steps;
    steps.add("cudaMemcpy", 8 * kMs);
    const Finding found = steps.host();
    EXPECT_TRUE(found.title.starts_with("The CPU waits in ")) << found.title;
    EXPECT_EQ(found.kind, "unknown");
}

TEST(HostTime, FirstLaunchesLoadTheCodeOfTheirKernel) {
    for (const bool same : {false, true}) {
        TestProfile t;
        for (int64_t i = 0; i < 10; ++i) {
            t.api("cudaLaunchKernel", 10 * kMs * i, 8 * kMs, t.thread(), i + 1);
            t.kernel(same ? "k" : "k" + std::to_string(i), 10 * kMs * i + 8 * kMs, kMs, t.stream(), i + 1);
        }
        Steps steps{std::move(t)};
        const Finding found = steps.host();
        EXPECT_EQ(found.advice.find("loads its code") != std::string::npos, !same) << found.advice;
    }
}

TEST(HostTime, AFewLongKernelsDoNotHideManyShortOnes) {
    TestProfile t;
    for (int64_t i = 0; i < 10; ++i) {
        t.op("aten::add", kMs * i, kMs / 2);
        t.api("cudaLaunchKernel", kMs * i + kMs / 4, 5'000, t.thread(), i + 1);
        t.kernel("k", kMs * i + kMs / 2, i < 9 ? 50'000 : 50 * kMs, t.stream(), i + 1);
    }
    Steps steps{std::move(t)};
    const Finding found = steps.host();
    EXPECT_NE(found.evidence.find("half of them of at most 50.0 µs"), std::string::npos) << found.evidence;
    EXPECT_NE(found.advice.find("Larger batches"), std::string::npos) << found.advice;
}

TEST(HostTime, ShortCallsAreLaunches) {
    Steps steps;
    steps.add("cudaEventRecord", 40'000, 0, 20'000);
    const Finding found = steps.host();
    EXPECT_EQ(found.title.find("most of it"), std::string::npos) << found.title;
    EXPECT_NE(found.advice.find("Larger batches"), std::string::npos) << found.advice;
}

TEST(HostTime, LongKernelsDoNotWaitForLaunches) {
    TestProfile t;
    for (int64_t i = 0; i < 10; ++i) {
        t.op("aten::sort", 10 * kMs * i, 9 * kMs);
        t.api("cudaLaunchKernel", 10 * kMs * i + 8 * kMs, 5'000, t.thread(), i + 1);
        t.kernel("k", 10 * kMs * i + 9 * kMs, kMs, t.stream(), i + 1);
    }
    Steps steps{std::move(t)};
    const Finding found = steps.host();
    EXPECT_EQ(found.advice.find("Larger batches"), std::string::npos) << found.advice;
    EXPECT_NE(found.advice.find("kernels are long"), std::string::npos) << found.advice;
}

TEST(HostTime, RangesThatDifferInNumbersCountAsOne) {
    TestProfile t;
    t.op("aten::add", 0, kMs);
    t.annotation("loop", 0, 100 * kMs, t.thread());
    for (int64_t i = 0; i < 9; ++i)
        t.annotation("IO " + std::to_string(i), 10 * kMs * i + kMs, 9 * kMs, t.thread());
    t.kernel("k", 99 * kMs, kMs, t.stream());
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.whole = true});
    const auto range = range_beside_ops(session);
    ASSERT_TRUE(range.has_value());
    EXPECT_EQ(*range, "IO #");
}

TEST(HostTime, OfPythonsTimeTheInnermostRangeIsNamed) {
    TestProfile t;
    t.op("aten::add", 0, kMs);
    t.annotation("epoch", 0, 100 * kMs, t.thread());
    t.annotation("decode images", 10 * kMs, 80 * kMs, t.thread());
    t.op("aten::add", 99 * kMs, kMs);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.whole = true});
    EXPECT_EQ(range_beside_ops(session).value_or("none"), "decode images");
}

}  // namespace
}  // namespace opsight::query
