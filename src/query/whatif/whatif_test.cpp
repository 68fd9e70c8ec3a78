#include "query/whatif/whatif.h"

#include <gmock/gmock.h>

#include <numeric>

#include "model/source_limits.h"
#include "query/session/test_session.h"
#include "query/session/track_id.h"
#include "query/whatif/path.h"

namespace opsight::query {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kStep = 1'000'000;

// Steps of 1 ms: data loading for 300 us, an op that launches 400 us of work, and a wait for it.
analyze::TestProfile steps() {
    analyze::TestProfile t;
    for (int64_t i = 0; i < 5; ++i) {
        const int64_t at = i * kStep;
        t.annotation("ProfilerStep#" + std::to_string(i), at, kStep, t.thread());
        t.host(HostKind::kDataLoad, "enumerate(DataLoader)", at, 300'000, t.thread());
        t.op("aten::mm", at + 400'000, 100'000);
        t.api("cudaLaunchKernel", at + 450'000, 10'000, t.thread(), i + 1);
        t.kernel("sgemm_128", at + 470'000, 400'000, t.stream(), i + 1);
        t.api("cudaDeviceSynchronize", at + 500'000, 380'000, t.thread(), 100 + i);
    }
    return t;
}

WhatIf answer_to(const Suppositions& suppositions, const RangeOptions& range = {.all = true}) {
    const StoredProfile stored(steps());
    Session session = stored.open(range);
    auto answer = what_if(session, suppositions);
    if (!answer || !*answer) {
        ADD_FAILURE() << (answer ? "no answer" : answer.error().message());
        return {};
    }
    return **answer;
}

int64_t predicted(const Suppositions& suppositions) {
    return static_cast<int64_t>(
        median_of(answer_to(suppositions).iterations, &ReplayedIteration::predicted_ns));
}

TEST(WhatIfTest, ReplaysWhatWasMeasured) {
    const WhatIf answer = answer_to({});
    ASSERT_EQ(answer.iterations.size(), 5U);
    for (const ReplayedIteration& it : answer.iterations) {
        EXPECT_EQ(it.measured_ns, kStep);
        EXPECT_EQ(it.replayed_ns, kStep);
        EXPECT_EQ(it.host_ns, kStep);
    }
    EXPECT_TRUE(answer.simulatable());
}

// SYCL's runtime puts a copy of pageable memory into a queue, and waits by a call of its own, by one of the
// driver.
TEST(WhatIfTest, WaitsOfSyclAreReplayed) {
    analyze::TestProfile t;
    for (int64_t i = 0; i < 5; ++i) {
        const int64_t at = i * kStep, copy = 10 + i;
        t.annotation("ProfilerStep#" + std::to_string(i), at, kStep, t.thread());
        t.op("aten::item", at + 100'000, 800'000);
        t.api("urEnqueueUSMMemcpy", at + 110'000, 10'000, t.thread(), copy);
        DeviceSpan span;
        span.begin = at + 500'000, span.dur = 100'000, span.bytes = 4;
        span.track = t.stream(), span.kind = DeviceKind::kMemcpy, span.correlation = copy;
        t.device(span, "Memcpy D2M (DEVICE -> MEMORY(Unknown))");
        t.api("urEventWait", at + 150'000, 470'000, t.thread(), 100 + i);
        t.api("zeEventHostSynchronize", at + 160'000, 450'000, t.thread(), 100 + i);
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const auto answer = what_if(session, {});
    ASSERT_TRUE(answer && *answer);
    EXPECT_TRUE((*answer)->simulatable());
    const auto without = what_if(session, {.no_waits = true});
    ASSERT_TRUE(without && *without);
    EXPECT_LT(median_of((*without)->iterations, &ReplayedIteration::predicted_ns), 0.6 * kStep);
}

TEST(CriticalPathTest, ItsPiecesLieWhereTheyWereRecorded) {
    const StoredProfile stored(steps());
    Session session = stored.open({.all = true});
    const auto found = critical_path(session);
    ASSERT_TRUE(found && *found);
    const CriticalPath& path = **found;
    EXPECT_EQ(path.length_ns, 5 * kStep);
    EXPECT_EQ(path.delays_ns, 5 * 20'000);
    EXPECT_EQ(path.iterations, 5);
    EXPECT_TRUE(path.simulatable());
    int64_t sum = path.delays_ns, until = 0;
    for (const PathPiece& piece : path.pieces) {
        sum += piece.dur_ns;
        EXPECT_GE(piece.begin_ns, until);
        until = piece.begin_ns + piece.dur_ns;
        const int64_t in_step = piece.begin_ns % kStep;
        if (piece.kind == "kernel") {
            EXPECT_EQ(in_step, 470'000);
            EXPECT_EQ(piece.dur_ns, 400'000);
            EXPECT_EQ(piece.track % static_cast<int64_t>(TrackPart::kCount),
                      static_cast<int64_t>(TrackPart::kStream));
            EXPECT_GE(piece.kernel, 0);
            EXPECT_GE(piece.span, 0);
            EXPECT_FALSE(piece.outside);
        }
        if (piece.kind == "data loading") {
            EXPECT_EQ(in_step, 0);
            EXPECT_EQ(piece.op, -1);
        }
    }
    EXPECT_EQ(sum, path.length_ns);
}

TEST(WhatIfTest, ThePathSumsToTheIterations) {
    const WhatIf answer = answer_to({});
    int64_t sum = 0;
    for (const PathShare& share : answer.path)
        sum += share.ns;
    EXPECT_EQ(sum, 5 * kStep);
    const auto share_of = [&](std::string_view kind) {
        return std::accumulate(
            answer.path.begin(), answer.path.end(), int64_t{0},
            [&](int64_t all, const PathShare& each) { return all + (each.kind == kind ? each.ns : 0); });
    };
    EXPECT_EQ(share_of("kernel"), 5 * 400'000);
    EXPECT_EQ(share_of("data loading"), 5 * 300'000);
    EXPECT_EQ(share_of("delay"), 5 * 20'000);  // from the launching call to the kernel
    EXPECT_EQ(share_of("op"), 5 * 50'000);     // the op until its launch
}

TEST(WhatIfTest, EachChangeSavesWhatItIsOnThePath) {
    EXPECT_EQ(predicted({.scales = {{Scale::Of::kKernel, "sgemm*", 0.5}}}), kStep - 200'000);
    EXPECT_EQ(predicted({.scales = {{Scale::Of::kKernel, "~gemm_\\d+$", 0.5}}}), kStep - 200'000);
    EXPECT_EQ(predicted({.no_data_loading = true}), kStep - 300'000);
    EXPECT_EQ(predicted({.clock = 2}), kStep - 200'000);
    // The op goes with its launch and its kernel; what remains of the wait is its 10 us to return.
    EXPECT_EQ(predicted({.scales = {{Scale::Of::kOp, "aten::mm", 0}}}), 300'000 + 100'000 + 10'000 + 120'000);
}

TEST(WhatIfTest, AnIterationAlone) {
    const WhatIf answer = answer_to({}, {.start = 2, .stop = 2, .all = true});
    ASSERT_EQ(answer.iterations.size(), 1U);
    EXPECT_EQ(answer.iterations[0].number, 2);
    EXPECT_EQ(answer.iterations[0].replayed_ns, kStep);
}

TEST(WhatIfTest, RanksHaveTheirNumbersOfTheJob) {
    analyze::TestProfile t;
    t.add_rank(7);
    for (int64_t i = 0; i < 3; ++i) {
        t.annotation("ProfilerStep#" + std::to_string(i), i * kStep, kStep, t.thread());
        t.op("aten::mm", i * kStep, kStep / 2, t.thread());
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const auto answer = what_if(session, {});
    ASSERT_TRUE(answer && *answer);
    ASSERT_FALSE((*answer)->iterations.empty());
    EXPECT_EQ((*answer)->iterations[0].rank, 7);
}

TEST(WhatIfTest, UnknownTargetsAreErrorsWithNearNames) {
    const StoredProfile stored(steps());
    Session session = stored.open();
    const auto answer = what_if(session, {.scales = {{Scale::Of::kOp, "aten::nm", 0}}});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().exit_code, 2);
    EXPECT_THAT(answer.error().message(), HasSubstr("aten::mm"));
    const auto layer = what_if(session, {.scales = {{Scale::Of::kLayer, "fc", 0}}});
    ASSERT_FALSE(layer);
    EXPECT_THAT(layer.error().message(), HasSubstr("no layers"));
}

TEST(WhatIfTest, WhatNothingIsConcernedByIsCounted) {
    const WhatIf answer = answer_to({.no_communication = true});
    ASSERT_EQ(answer.concerned.size(), 1U);
    EXPECT_EQ(answer.concerned[0].tasks, 0);
}

// DDP on CPUs: the thread of gloo reduces while the next ops run, and the program waits for it before it goes
// on.
TEST(WhatIfTest, CollectivesAmongCpusAreWaitedFor) {
    analyze::TestProfile t;
    for (int64_t i = 0; i < 5; ++i) {
        const int64_t at = i * kStep;
        t.annotation("ProfilerStep#" + std::to_string(i), at, kStep, t.thread());
        t.op("aten::mm", at, 200'000);
        t.annotation("gloo:all_reduce", at + 100'000, 700'000, t.thread(2));
        t.op("aten::add_", at + 800'000, 100'000);
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const auto answer = what_if(session, {.no_communication = true});
    ASSERT_TRUE(answer && *answer);
    EXPECT_TRUE((*answer)->simulatable());
    EXPECT_EQ((*answer)->concerned.at(0).tasks, 5);
    EXPECT_NEAR(median_of((*answer)->iterations, &ReplayedIteration::predicted_ns), kStep - 600'000, 20'000);
    EXPECT_EQ((*answer)->path.at(0).kind, "communication");
    EXPECT_EQ((*answer)->path.at(0).name, "gloo:all_reduce");
}

// A device that lags behind fills the queue: launches take long then, and no longer where it does not lag.
TEST(WhatIfTest, LaunchesThatFindTheQueueFullWaitForTheDevice) {
    analyze::TestProfile t;
    constexpr int64_t kQueue = 300, kAll = 2000, kKernel = 50'000;
    int64_t now = 0, done = 0;
    std::vector<int64_t> ends;
    t.annotation("ProfilerStep#0", 0, 1, t.thread());
    for (int64_t i = 0; i < kAll; ++i) {
        const bool full = i >= kQueue && ends[static_cast<size_t>(i - kQueue)] > now;
        const int64_t end = full ? ends[static_cast<size_t>(i - kQueue)] + 3'000 : now + 4'000;
        t.api("cudaLaunchKernel", now, end - now, t.thread(), i + 1);
        const int64_t begin = std::max(done, now + 10'000);
        t.kernel("k", begin, kKernel, t.stream(), i + 1);
        done = begin + kKernel;
        ends.push_back(done);
        now = end + 1'000;
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.whole = true});
    const auto answer = what_if(session, {.scales = {{Scale::Of::kKernel, "k", 0.1}}});
    ASSERT_TRUE(answer && *answer);
    EXPECT_TRUE((*answer)->simulatable());
    EXPECT_LT(median_of((*answer)->iterations, &ReplayedIteration::predicted_ns),
              0.2 * median_of((*answer)->iterations, &ReplayedIteration::measured_ns));
}

// Work that stands one behind the other because its source has no clock waits for nothing.
TEST(WhatIfTest, WithoutTimesThereIsNothingToReplay) {
    analyze::TestProfile t = steps();
    set_durations_only(t.builder.info());
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const auto answer = what_if(session, {});
    ASSERT_TRUE(answer);
    EXPECT_FALSE(*answer);
}

// A TPU's trace: marks of steps on the host, and work of the device that nothing is seen to launch.
TEST(WhatIfTest, WithoutLaunchesNobodyIsKnownToWait) {
    analyze::TestProfile t;
    for (int64_t i = 0; i < 5; ++i) {
        t.annotation("ProfilerStep#" + std::to_string(i), i * kStep, kStep, t.thread());
        t.kernel("fusion", i * kStep + 10'000, 900'000, t.stream());
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const auto answer = what_if(session, {});
    ASSERT_TRUE(answer);
    EXPECT_FALSE(*answer);
    const auto path = critical_path(session);
    ASSERT_TRUE(path);
    EXPECT_FALSE(*path);
    const auto grounds = grounds_of_replay(session);
    ASSERT_TRUE(grounds);
    EXPECT_THAT(grounds->lacks, HasSubstr("no launch of the devices' work was recorded"));
}

TEST(WhatIfTest, WhatHasNoLaunchIsToldByItsTime) {
    analyze::TestProfile t = steps();
    t.kernel("fusion", 100'000, 2'000'000, t.stream());
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const auto answer = what_if(session, {});
    ASSERT_TRUE(answer && *answer);
    EXPECT_DOUBLE_EQ((*answer)->unlaunched_pct, 50);
    std::vector<std::string> notes;
    add_note_of_unlaunched((*answer)->unlaunched_pct, notes);
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_THAT(notes[0], HasSubstr("50.0 % of the device work's time has no recorded launch"));
}

TEST(WhatIfTest, ScalesAreRead) {
    const auto scale = parse_scale("op:aten::add=0.25");
    ASSERT_TRUE(scale);
    EXPECT_EQ(scale->pattern, "aten::add");
    EXPECT_EQ(scale->factor, 0.25);
    for (const char* wrong : {"", "op", "op:x", "op:=1", "kernle:x=1", "op:x=fast", "op:x=-1", "op:x=nan",
                              "op:x=1e9", "op:~=0", "op:~(=0"})
        EXPECT_FALSE(parse_scale(wrong)) << wrong;
}

}  // namespace
}  // namespace opsight::query
