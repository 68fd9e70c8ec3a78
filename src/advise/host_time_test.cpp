#include "query/reports/host_time.h"

#include <algorithm>

#include "advise/test_findings.h"
#include "query/session/test_session.h"

namespace opsight::advise {
namespace {

using query::RangeOptions;
using query::Session;
using query::StoredProfile;

constexpr int64_t kMs = 1'000'000;

// Ten steps of 10 ms: a call, then a kernel of 1 ms.
struct Steps {
    analyze::TestProfile t;

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
    Finding host(const char* id = "host", const RangeOptions& range = {.whole = true}) {
        const StoredProfile stored(std::move(t));
        Session session = stored.open(range);
        const auto all = find_findings(session);
        EXPECT_TRUE(all.has_value());
        for (const Finding& finding : *all)
            if (finding.id == id) return finding;
        ADD_FAILURE() << "no finding " << id;
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

// No work of the device waits for what the program does at its end.
TEST(HostTime, CallsAfterAllWorkAreTheEndOfTheProgram) {
    for (const bool at_the_end : {true, false}) {
        Steps steps;
        steps.add("cudaHostAlloc", kMs / 10);
        const int64_t end = 12 * kMs;  // behind ten steps of 1.11 ms
        steps.t.api("cudaFree", end, 40 * kMs, steps.t.thread(), 300);
        if (!at_the_end) steps.t.kernel("late", end + 41 * kMs, kMs, steps.t.stream());
        const Finding found = steps.host();
        EXPECT_EQ(found.title.find("in cudaFree after the GPU's last work") != std::string::npos, at_the_end)
            << found.title;
        EXPECT_EQ(found.title.find("GPU waits") == std::string::npos, at_the_end) << found.title;
        if (!at_the_end) continue;
        EXPECT_EQ(found.kind, "unknown");
        EXPECT_FALSE(found.bound);
        EXPECT_NE(
            found.evidence.find("cudaFree takes 40.00 ms after that; of 1 call the longest lasts 40.00 ms"),
            std::string::npos)
            << found.evidence;
    }
}

// What the profiler does while no call is open explains none of the calls.
TEST(HostTime, TheProfilersOwnWorkCountsWithinCalls) {
    for (const bool within : {false, true}) {
        Steps steps;
        steps.add("cudaFree", 8 * kMs);
        for (int64_t i = 0; i < 10; ++i)
            steps.t.host(HostKind::kOverhead, "Buffer Flush",
                         within ? 9'010'000 * i : 200 * kMs + 8 * kMs * i, 7 * kMs, steps.t.thread(2));
        steps.t.api("cudaFree", 300 * kMs, 1'000, steps.t.thread(), 900);
        const Finding found = steps.host();
        EXPECT_EQ(
            found.evidence.find("Within calls the profiler's own work takes 70.00 ms") != std::string::npos,
            within)
            << found.evidence;
        EXPECT_EQ(found.kind == "unknown", within);
    }
}

// A call that takes less than half of the time is one of those that take most of it.
TEST(HostTime, OfSeveralCallsOneIsAnExample) {
    Steps steps;
    int64_t at = 0;
    for (int64_t i = 0; i < 12; ++i) {
        const char* call = i % 3 == 0 ? "cudaMalloc" : i % 3 == 1 ? "cudaFree" : "cudaHostAlloc";
        steps.t.api(call, at, 8 * kMs, steps.t.thread(), 100 + i);
        steps.t.api("cudaLaunchKernel", at + 8 * kMs, 5'000, steps.t.thread(), i + 1);
        steps.t.kernel("elementwise_kernel", at + 8 * kMs + 10'000, kMs, steps.t.stream(), i + 1);
        at += 9 * kMs + 10'000;
    }
    const Finding found = steps.host();
    EXPECT_NE(found.title.find("most of it in calls such as cuda"), std::string::npos) << found.title;
}

// What the CPU waits for at the end is told as its wait; what is left of the time lies elsewhere.
TEST(HostTime, AWaitAfterAllWorkIsNotToldOfTheRest) {
    Steps steps;
    steps.add("cudaHostAlloc", kMs);
    steps.t.api("cudaDeviceSynchronize", 25 * kMs, 40 * kMs, steps.t.thread(), 300);
    const StoredProfile stored(std::move(steps.t));
    Session session = stored.open({.whole = true});
    const auto all = find_findings(session);
    ASSERT_TRUE(all.has_value());
    EXPECT_TRUE(find(*all, "cpu_waits"));
    for (const Finding& finding : *all)
        EXPECT_EQ(finding.title.find("after the GPU's last work"), std::string::npos) << finding.title;
}

// The CPU is the one that waits: nothing says that work would have been there for the device.
TEST(HostTime, AWaitOfTheCpuIsNotAWaitOfTheDevice) {
    Steps steps;
    steps.add("cudaMemcpy", 8 * kMs);
    const Finding found = steps.host("cpu_waits");
    EXPECT_TRUE(found.title.starts_with("The CPU waits in ")) << found.title;
    EXPECT_EQ(found.kind, "unknown");
}

// A wait that goes on for long after the last recorded work waits for something else; one that returns at
// once leaves the device without work. Each is one finding.
TEST(HostTime, AWaitIsOneFinding) {
    for (const bool returns : {true, false}) {
        analyze::TestProfile t;
        const int64_t step = returns ? kMs / 5 : 10 * kMs, work = returns ? step / 2 : 2 * kMs;
        for (int64_t i = 0; i < 50; ++i) {
            const int64_t at = step * i;
            t.api("cudaLaunchKernel", at, 5'000, t.thread(), i + 1);
            t.kernel("k", at + 10'000, work, t.stream(), i + 1);
            // Open from the launch on: for 40 us after the work, or until the step is over.
            t.api("cudaStreamSynchronize", at + 6'000, returns ? work + 44'000 : step - 7'000, t.thread());
        }
        const StoredProfile stored(std::move(t));
        Session session = stored.open({.whole = true});
        const auto all = find_findings(session);
        ASSERT_TRUE(all.has_value());
        const auto tells = [&all](const char* id) {
            return std::any_of(all->begin(), all->end(), [id](const Finding& f) { return f.id == id; });
        };
        EXPECT_EQ(tells("synchronization"), returns);
        EXPECT_EQ(tells("cpu_waits"), !returns);
    }
}

// Ten steps of 10 ms: 4 ms of an op, then a wait of 5 ms. Only the wait is one.
TEST(HostTime, WhatTheCpuDoesBesideItsWaitsIsNoWait) {
    analyze::TestProfile t;
    for (int64_t i = 0; i < 10; ++i) {
        t.op("aten::add", 10 * kMs * i, 4 * kMs);
        t.api("cudaMemcpy", 10 * kMs * i + 4 * kMs, 5 * kMs, t.thread());
        t.api("cudaLaunchKernel", 10 * kMs * i + 4 * kMs - 10'000, 5'000, t.thread(), i + 1);
        t.kernel("k", 10 * kMs * i + 9 * kMs, kMs, t.stream(), i + 1);
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.whole = true});
    const auto all = find_findings(session);
    ASSERT_TRUE(all.has_value());
    const auto share = [&all](const char* id) {
        for (const Finding& finding : *all)
            if (finding.id == id) return finding.share_pct.value_or(-1);
        return -1.0;
    };
    EXPECT_NEAR(share("cpu_waits"), 50, 0.1);
    EXPECT_NEAR(share("host"), 40, 0.1);
}

TEST(HostTime, FirstLaunchesLoadTheCodeOfTheirKernel) {
    for (const bool same : {false, true}) {
        analyze::TestProfile t;
        for (int64_t i = 0; i < 10; ++i) {
            t.api("cudaLaunchKernel", 10 * kMs * i, 8 * kMs, t.thread(), i + 1);
            t.kernel(same ? "k" : "k" + std::to_string(i), 10 * kMs * i + 8 * kMs, kMs, t.stream(), i + 1);
        }
        Steps steps{std::move(t)};
        const Finding found = steps.host();
        EXPECT_EQ(found.advice.find("loads its code") != std::string::npos, !same) << found.advice;
    }
}

// The first launches lie in the first iteration, which was not chosen.
TEST(HostTime, LaunchesOfOtherIterationsSayNothingOfTheChosenOnes) {
    for (const int64_t first : {0, 1}) {
        analyze::TestProfile t;
        for (int64_t i = 0; i < 6; ++i) {
            t.annotation("ProfilerStep#" + std::to_string(i), 40 * kMs * i, 40 * kMs, t.thread());
            for (int64_t k = 0; k < 4; ++k) {
                const int64_t at = 40 * kMs * i + 10 * kMs * k;
                const bool slow = i == 0 || k == 0;
                t.api("cudaLaunchKernel", at, slow ? 8 * kMs : 10'000, t.thread(), 10 * i + k + 1);
                t.kernel("k" + std::to_string(k), at + (slow ? 8 * kMs : 10'000), kMs, t.stream(),
                         10 * i + k + 1);
            }
        }
        Steps steps{std::move(t)};
        const Finding found = steps.host("host", {.start = first, .stop = first});
        EXPECT_EQ(found.advice.find("loads its code") != std::string::npos, first == 0) << found.advice;
    }
}

TEST(HostTime, AFewLongKernelsDoNotHideManyShortOnes) {
    analyze::TestProfile t;
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
    analyze::TestProfile t;
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

std::string open_span(Session& session) {
    const auto span = open_beside_ops(session);
    if (!span) return span.error().message();
    if (!*span) return "none";
    return ((*span)->function ? "function " : "range ") + (*span)->name;
}

TEST(HostTime, RangesThatDifferInNumbersCountAsOne) {
    analyze::TestProfile t;
    t.op("aten::add", 0, kMs);
    t.annotation("loop", 0, 100 * kMs, t.thread());
    for (int64_t i = 0; i < 9; ++i)
        t.annotation("IO " + std::to_string(i), 10 * kMs * i + kMs, 9 * kMs, t.thread());
    t.kernel("k", 99 * kMs, kMs, t.stream());
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.whole = true});
    EXPECT_EQ(open_span(session), "range IO #");
}

// A start-up is not a gain for a longer run; what comes again is.
TEST(HostTime, ARangeThatIsOpenOnceIsNotPromisedAsAGain) {
    for (const bool once : {true, false}) {
        analyze::TestProfile t;
        t.op("aten::add", 0, kMs);
        t.annotation("start", 10 * kMs, 35 * kMs, t.thread());
        t.annotation(once ? "rest" : "start", 50 * kMs, once ? kMs : 35 * kMs, t.thread());
        t.kernel("k", 99 * kMs, kMs, t.stream());
        const std::vector<Finding> all = findings_in(std::move(t));
        const Finding* found = find(all, "program");
        ASSERT_TRUE(found);
        EXPECT_EQ(found->kind, once ? "unknown" : "problem");
        EXPECT_EQ(found->bound.has_value(), !once);
    }
}

// Three ranges within each other are open for a quarter of the time, not for three quarters.
TEST(HostTime, RangesOfOneNameWithinEachOtherCountOnce) {
    analyze::TestProfile t;
    t.op("aten::add", 0, kMs);
    for (int64_t i = 0; i < 3; ++i)
        t.annotation("level " + std::to_string(i), 10 * kMs + i * 100'000, 25 * kMs - 2 * i * 100'000,
                     t.thread());
    t.annotation("rest", 40 * kMs, 50 * kMs, t.thread());
    t.op("aten::add", 99 * kMs, kMs);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.whole = true});
    EXPECT_EQ(open_span(session), "range rest");
}

TEST(HostTime, OfPythonsTimeTheInnermostRangeIsNamed) {
    analyze::TestProfile t;
    t.op("aten::add", 0, kMs);
    t.annotation("epoch", 0, 100 * kMs, t.thread());
    t.annotation("decode images", 10 * kMs, 80 * kMs, t.thread());
    t.op("aten::add", 99 * kMs, kMs);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.whole = true});
    EXPECT_EQ(open_span(session), "range decode images");
}

// Where Python's frames were recorded, of the thread that runs the ops: others wait for work.
TEST(HostTime, OfPythonsTimeTheInnermostFunctionIsNamed) {
    analyze::TestProfile t;
    const TrackId loader = t.thread(2);
    t.op("aten::add", 0, kMs);
    t.annotation("epoch", 0, 100 * kMs, t.thread());
    t.host(HostKind::kPythonFrame, "train.py(1): train", 0, 100 * kMs, t.thread());
    t.host(HostKind::kPythonFrame, "data.py(7): preprocess", 2 * kMs, 60 * kMs, t.thread());
    t.host(HostKind::kPythonFrame, "data.py(9): resize", 3 * kMs, 20 * kMs, t.thread());
    t.host(HostKind::kPythonFrame, "loop.py(3): serve", 2 * kMs, 59 * kMs, loader);
    t.op("aten::add", 99 * kMs, kMs);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.whole = true});
    EXPECT_EQ(open_span(session), "function data.py(7): preprocess");
}

// 21 of the 38 ms of a step are Python's: ops that fuse, or a captured graph, are not what to begin with.
TEST(HostTime, WhereProgramsTakeMostTheyStandBeforeOpsThatFuse) {
    analyze::TestProfile t;
    t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    int64_t at = 0, id = 0;
    for (int step = 0; step < 10; ++step) {
        t.annotation("ProfilerStep#" + std::to_string(step), at, 38 * kMs, t.thread());
        t.host(HostKind::kPythonFrame, "data.py(7): preprocess", at, 21 * kMs, t.thread());
        for (int64_t i = 0; i < 16; ++i) {
            const int64_t begin = at + (21 + i) * kMs;
            t.op("aten::add", begin, kMs / 2, t.thread());
            t.api("cudaLaunchKernel", begin + 1000, 5000, t.thread(), ++id);
            t.kernel("void at::native::vectorized_elementwise_kernel<4, add>(int)", begin + 10'000,
                     kMs - 20'000, t.stream(), id);
        }
        at += 38 * kMs;
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const auto all = find_findings(session);
    ASSERT_TRUE(all.has_value());
    ASSERT_GE(all->size(), 2U);
    EXPECT_EQ(all->front().id, "program");
    EXPECT_NE(all->front().evidence.find("data.py(7): preprocess"), std::string::npos)
        << all->front().evidence;
    for (const char* word : {"fuse", "torch.compile", "graph"})
        EXPECT_EQ(all->front().advice.find(word), std::string::npos) << all->front().advice;
    const bool fuses = std::any_of(all->begin() + 1, all->end(), [](const Finding& finding) {
        return finding.advice.find("fuse") != std::string::npos;
    });
    EXPECT_TRUE(fuses) << "it is said, behind that";
}

}  // namespace
}  // namespace opsight::advise
