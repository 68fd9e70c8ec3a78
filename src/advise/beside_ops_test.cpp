// What is said of the host beside its ops: collectives that processes do among themselves, other code,
// nothing.
#include "advise/test_findings.h"

namespace opsight::advise {
namespace {

using analyze::TestProfile;
using query::Session;
using query::StoredProfile;

constexpr int64_t kMs = 1'000'000;

Findings found_by(const char* rule, TestProfile t, const query::RangeOptions& range = {}) {
    const StoredProfile stored(std::move(t));
    Session session = stored.open(range);
    auto advice = advise(session, {.rules = {rule}});
    EXPECT_TRUE(advice);
    return advice ? std::move(advice->findings) : Findings();
}

// Rank 1 comes 4 ms later to each of ten collectives.
TEST(HostCommunication, OfTheHostsCollectivesNameTheRankThatOthersWaitFor) {
    TestProfile t;
    for (int rank = 0; rank < 2; ++rank) {
        if (rank > 0) t.add_rank(rank);
        for (int64_t i = 0; i < 10; ++i) {
            const int64_t begin = i * 10 * kMs, late = rank * 4 * kMs;
            t.annotation("ProfilerStep#" + std::to_string(i), begin, 10 * kMs, t.thread(1, 100 + rank));
            t.op("aten::mm", begin + kMs, kMs, t.thread(1, 100 + rank));
            t.annotation("gloo:all_reduce", begin + 3 * kMs + late, 5 * kMs - late, t.thread(2, 100 + rank));
        }
    }
    const Findings found = found_by("host_communication", std::move(t));
    ASSERT_EQ(found.size(), 1u);
    const Finding& finding = found[0];
    EXPECT_NEAR(finding.share_pct.value_or(0), 30, 0.1) << "5 and 1 of 10 ms";
    EXPECT_NE(finding.evidence.find("40.00 ms of 60.00 ms is waiting"), std::string::npos)
        << finding.evidence;
    EXPECT_NE(finding.evidence.find("rank 1 is that in 10 of 10"), std::string::npos) << finding.evidence;
}

// As DDP makes them: two calls an iteration are not to be joined, and one rank does not tell what it waits
// for.
TEST(HostCommunication, FewCollectivesOfOneRankAreNotToBeJoined) {
    for (const int64_t calls : {2, 20}) {
        TestProfile t;
        for (int64_t i = 0; i < 10; ++i) {
            t.annotation("ProfilerStep#" + std::to_string(i), i * 10 * kMs, 10 * kMs, t.thread());
            t.op("aten::mm", i * 10 * kMs + kMs, kMs, t.thread());
            for (int64_t call = 0; call < calls; ++call)
                t.annotation("gloo:all_reduce", i * 10 * kMs + 3 * kMs + call * 6 * kMs / calls,
                             6 * kMs / calls, t.thread(2));
        }
        const Findings found = found_by("host_communication", std::move(t));
        ASSERT_EQ(found.size(), 1u);
        const Finding& finding = found[0];
        EXPECT_NE(finding.evidence.find("One rank alone"), std::string::npos) << finding.evidence;
        EXPECT_EQ(finding.advice.find("join gradients") != std::string::npos, calls == 20) << finding.advice;
        EXPECT_EQ(finding.lines.find("bucket") != std::string::npos, calls == 20) << finding.lines;
    }
}

// What a collective of the host takes another rule tells.
TEST(BesideOps, CollectivesOfTheHostAreNoGaps) {
    TestProfile t;
    for (int64_t i = 0; i < 10; ++i) {
        t.annotation("ProfilerStep#" + std::to_string(i), i * 10 * kMs, 10 * kMs, t.thread());
        t.op("aten::mm", i * 10 * kMs, kMs, t.thread());
        t.annotation("gloo:all_reduce", i * 10 * kMs + kMs, 6 * kMs, t.thread(2));
    }
    const Findings found = found_by("beside_ops", std::move(t));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].share_pct.value_or(0), 30, 0.1);
    ASSERT_TRUE(found[0].bound);
    EXPECT_LT(found[0].bound->pct, 50) << "3 of 10 ms, and a quarter of that";
    EXPECT_NE(found[0].evidence.find("the longest takes 3.00 ms"), std::string::npos) << found[0].evidence;
}

// Steps of 10 ms: an op, 4 ms in a range without ops, and 3 ms of nothing after it.
TEST(BesideOps, TimeInRangesAndTimeOfNothingAreGainedOnce) {
    TestProfile t;
    for (int64_t i = 0; i < 10; ++i) {
        t.op("aten::mm", i * 10 * kMs, 3 * kMs, t.thread());
        t.annotation("write checkpoint", i * 10 * kMs + 3 * kMs, 4 * kMs, t.thread());
    }
    t.op("aten::mm", 100 * kMs, 3 * kMs, t.thread());
    const Findings found = found_by("beside_ops", std::move(t), {.whole = true});
    const Finding *program = find(found, "program"), *outside = find(found, "outside");
    ASSERT_TRUE(program && program->bound && outside && outside->bound);
    const double after = 1.25;  // without a device what follows finds its caches cold
    EXPECT_NEAR(program->bound->pct, after * 100.0 * 40 / 103, 0.1);
    EXPECT_NEAR(outside->bound->pct, after * 100.0 * 30 / 103, 0.1);
    EXPECT_NE(program->evidence.find("the longest takes 4.00 ms"), std::string::npos) << program->evidence;
    EXPECT_NE(outside->evidence.find("the longest takes 3.00 ms"), std::string::npos) << outside->evidence;
    ASSERT_EQ(program->places.size(), 3u);
    EXPECT_EQ(program->places[0].begin, 3 * kMs);
    EXPECT_EQ(program->places[0].end, 7 * kMs);
}

// A program of CUDA of which neither ops nor switches of context were recorded: 3 of 4 ms may be its own
// work.
TEST(BesideOps, WhatNothingOfTheRecordingCouldShowIsNotKnown) {
    TestProfile t;
    for (int64_t i = 0; i < 10; ++i) {
        t.api("cudaLaunchKernel", i * 4 * kMs, kMs / 10, t.thread(), i);
        t.kernel("saxpy", i * 4 * kMs + kMs / 5, 4 * kMs / 5, t.stream(), i);
    }
    const Findings found = found_by("beside_ops", std::move(t), {.whole = true});
    const Finding* outside = find(found, "outside");
    ASSERT_TRUE(outside);
    EXPECT_EQ(outside->kind, "unknown");
    EXPECT_FALSE(outside->bound);
    EXPECT_NE(outside->evidence.find("not recorded"), std::string::npos) << outside->evidence;
}

// As rocprofv3 without calls, or nvprof's trace of the GPU: nothing says that the program has nothing to do.
TEST(BesideOps, OfDevicesAloneTheTimeBetweenTheirWorkIsNotKnown) {
    for (const bool calls : {false, true}) {
        TestProfile t;
        for (int64_t i = 0; i < 10; ++i) {
            if (calls) t.api("cudaLaunchKernel", i * 4 * kMs, kMs / 10, t.thread(), i);
            t.kernel("saxpy", i * 4 * kMs + kMs / 5, kMs, t.stream(), i);
        }
        const StoredProfile stored(std::move(t));
        Session session = stored.open({.whole = true});
        Options options;
        options.rules = {"beside_ops"};
        options.rows = 3;
        const auto advice = advise(session, options);
        ASSERT_TRUE(advice);
        const Finding* outside = find(advice->findings, "outside");
        ASSERT_TRUE(outside);
        EXPECT_EQ(outside->kind, "unknown");
        EXPECT_FALSE(outside->bound);
        EXPECT_EQ(outside->title.find("the host was not recorded") != std::string::npos, !calls)
            << outside->title;
        EXPECT_EQ(outside->rows.table.rows.size(), 3u) << outside->query;
    }
}

// A timeline of Horovod: a collective of 2 ms behind a negotiation, in each 10 ms.
TEST(BesideOps, TensorsThatWaitForOtherRanksAreNotNothing) {
    for (const int64_t waits_ms : {7, 1}) {
        TestProfile t;
        for (int64_t i = 0; i < 10; ++i) {
            t.annotation("NEGOTIATE_ALLREDUCE", i * 10 * kMs, waits_ms * kMs, t.thread());
            t.host(HostKind::kMessagePassing, "ALLREDUCE", i * 10 * kMs + 8 * kMs, 2 * kMs, t.thread());
        }
        const StoredProfile stored(std::move(t));
        Session session = stored.open({.whole = true});
        const auto advice = advise(session, {.rules = {"beside_ops"}});
        ASSERT_TRUE(advice && advice->findings.size() == 1);
        const Finding& finding = advice->findings[0];
        EXPECT_EQ(finding.kind, "unknown");
        EXPECT_FALSE(finding.bound);
        EXPECT_EQ(finding.title,
                  waits_ms == 7 ? "Tensors wait for other ranks in 70.0% of the time; what the program does "
                                  "then was not recorded"
                                : "In 80.0% of the time nothing of the recording runs");
        const auto rows = session.query(finding.query);
        ASSERT_TRUE(rows) << finding.query;
        EXPECT_EQ(rows->rows.empty(), waits_ms == 1) << finding.query;
    }
}

// A wait of 8 ms in each step of 10 ms, with a kernel that runs for so long in it.
TestProfile waits_for_work(const char* function, int64_t kernel_ns, const char* range = nullptr) {
    TestProfile t;
    t.builder.info().frameworks = {"JAX"};
    for (int64_t i = 0; i < 10; ++i) {
        t.annotation("step " + std::to_string(i), i * 10 * kMs, 10 * kMs, t.thread());
        t.host(HostKind::kPythonFrame, function, i * 10 * kMs + kMs, 8 * kMs, t.thread());
        if (range) t.annotation(range, i * 10 * kMs + 2 * kMs, 3 * kMs, t.thread(3));
        t.api("cuLaunchKernel", i * 10 * kMs, 1000, t.thread(2), i + 1);
        t.kernel("fusion", i * 10 * kMs + kMs, kernel_ns, t.stream(), i + 1);
    }
    return t;
}

// Without ops Python's threads are what works; what waits for XLA is no other work of the program.
TEST(BesideOps, WhatWaitsInJaxIsNamed) {
    for (const char* function : {"api.py:3165 try_to_block", "train.py:7 load"}) {
        const Findings found = found_by("beside_ops", waits_for_work(function, kMs / 2), {.whole = true});
        ASSERT_FALSE(found.empty());
        EXPECT_EQ(found[0].title.find("ops,"), std::string::npos) << found[0].title;
        EXPECT_NE(found[0].evidence.find(function), std::string::npos) << found[0].evidence;
        const bool waits = std::string(function).ends_with("block");
        EXPECT_EQ(found[0].evidence.find("It waits for work") != std::string::npos, waits)
            << found[0].evidence;
        EXPECT_EQ(found[0].advice.find("Python rows") != std::string::npos, !waits) << found[0].advice;
    }
}

// Only devices that work are what a wait can be for.
TEST(BesideOps, AWaitInJaxIsForDevicesOnlyWhereTheyWork) {
    const auto first = [](int64_t kernel_ns, const char* range) {
        return found_by("beside_ops", waits_for_work("api.py:3165 try_to_block", kernel_ns, range),
                        {.whole = true})
            .at(0);
    };
    const Finding busy = first(6 * kMs, nullptr);
    EXPECT_NE(busy.evidence.find("Devices work in 75.0% of its 80.00 ms: it waits for them"),
              std::string::npos)
        << busy.evidence;
    EXPECT_NE(busy.advice.find("several steps"), std::string::npos) << busy.advice;
    const Finding idle = first(kMs / 2, nullptr);
    EXPECT_NE(idle.evidence.find("Devices work in 6.3% of its 80.00 ms: what else"), std::string::npos)
        << idle.evidence;
    EXPECT_EQ(idle.advice.find("several steps"), std::string::npos) << idle.advice;
    const Finding named = first(kMs / 2, "Build buffer allocations");
    EXPECT_NE(named.evidence.find("'Build buffer allocations' is open in 30.00 ms of that"),
              std::string::npos)
        << named.evidence;
    EXPECT_NE(named.advice.find("'Build buffer allocations'"), std::string::npos) << named.advice;
}

}  // namespace
}  // namespace opsight::advise
