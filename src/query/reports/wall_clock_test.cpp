// What a wall clock holds that is not the range's own work, and what it leaves out.
#include <gmock/gmock.h>

#include "query/reports/test_reports.h"

namespace opsight::query {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Kernels of one stream begin at once; those of another wait for something that is not in the recording, or
// for the kernels of the first.
TEST(WallClock, SaysThatOneStreamWaitedForWhatWasNotRecorded) {
    const auto notes = [](bool recorded) {
        analyze::TestProfile t;
        for (int64_t i = 0; i < 4; ++i) {
            const int64_t at = 200'000 * i;
            t.annotation("ProfilerStep#" + std::to_string(i), at, 200'000, t.thread());
            t.op("aten::mm", at, 150'000);
            t.api("cudaLaunchKernel", at + 10'000, 5, t.thread(), 10 + i);
            t.kernel("side", at + 10'010, i == 0 && recorded ? 480'000 : 4'000, t.stream(3), 10 + i);
            t.api("cudaLaunchKernel", at + 50'000, 5, t.thread(), 1 + i);
            t.kernel("main", 500'000 + 100'000 * i, 90'000, t.stream(), 1 + i);
        }
        const StoredProfile stored(std::move(t));
        return stored.open({.whole = true}).range().notes;
    };
    // From the end of the second kernel of the first stream at 214.01 us, of three that run meanwhile.
    EXPECT_THAT(notes(false), Contains(HasSubstr("no recorded work of the device ran before it")));
    EXPECT_THAT(notes(true), Not(Contains(HasSubstr("no recorded work"))));
}

// What Horovod and MPI exchange is the program's own doing; a call of the system is not.
TEST(WallClock, ReachesToTheLastMessage) {
    const auto wall = [](HostKind kind) {
        analyze::TestProfile t;
        t.annotation("NEGOTIATE_ALLREDUCE", 0, 10, t.thread());
        t.host(kind, "ALLREDUCE", 10, 5000, t.thread());
        const StoredProfile stored(std::move(t));
        Session session = stored.open({.whole = true});
        const auto rows = session.query("SELECT (end_ns - begin_ns)::BIGINT AS ns FROM sel_wall");
        return rows ? std::get<int64_t>(rows->rows.at(0)[0]) : -1;
    };
    EXPECT_EQ(wall(HostKind::kMessagePassing), 5010);
    EXPECT_EQ(wall(HostKind::kOsRuntime), 10);
}

// Steps of 100 us on the host, of which the device needs 500 us each.
TEST(WallClock, SaysThatTheLastIterationHoldsWhatTheDeviceFinishes) {
    for (const int64_t kernel : {500'000, 50'000}) {
        analyze::TestProfile t;
        for (int64_t i = 0; i < 6; ++i) {
            const int64_t at = 100'000 * i;
            t.annotation("ProfilerStep#" + std::to_string(i), at, 100'000, t.thread());
            t.op("aten::mm", at + 1'000, 20'000);
            t.api("cudaLaunchKernel", at + 2'000, 5, t.thread(), i + 1);
            t.kernel("k", std::max(at, kernel * i) + 10'000, kernel - 1'000, t.stream(), i + 1);
        }
        const StoredProfile stored(std::move(t));
        const auto said =
            HasSubstr("holds 2.409 ms in which the device finishes what was launched until its end");
        const std::vector<std::string> notes = stored.open({.all = true}).range().notes;
        if (kernel > 100'000)
            EXPECT_THAT(notes, Contains(AllOf(said, HasSubstr("an iteration begins every 0.500 ms"))));
        else
            EXPECT_THAT(notes, IsEmpty());
    }
}

// What goes on after the mark is the host's.
TEST(WallClock, TheTailIsTheDevicesAlone) {
    analyze::TestProfile t;
    for (int64_t i = 0; i < 4; ++i) {
        const int64_t at = 100'000 * i;
        t.annotation("ProfilerStep#" + std::to_string(i), at, 100'000, t.thread());
        t.op("aten::mm", at + 1'000, 20'000);
        t.api("cudaLaunchKernel", at + 2'000, 5, t.thread(), i + 1);
        t.kernel("k", at + 10'000, 50'000, t.stream(), i + 1);
    }
    t.op("aten::copy_", 390'000, 300'000, t.thread(2));
    const StoredProfile stored(std::move(t));
    EXPECT_THAT(stored.open({.all = true}).range().notes, Not(Contains(HasSubstr("the device finishes"))));
}

// Ten seconds of the profiler's own start, a call and a kernel, and its stop; none is an iteration.
analyze::TestProfile profiled(const char* start, const char* stop, int64_t kernel_begin,
                              int64_t late_call = -1) {
    analyze::TestProfile t;
    t.host(HostKind::kPythonFrame, "train.py(1): main", 0, 20'000, t.thread());
    t.host(HostKind::kPythonFrame, start, 0, 10'000, t.thread());
    t.api("cudaProfilerStart", 9'000, 500, t.thread());
    t.op("aten::mm", 10'100, 50);
    t.api("cudaLaunchKernel", 10'110, 5, t.thread(), 1);
    t.kernel("k", kernel_begin, 100, t.stream(), 1);
    t.host(HostKind::kPythonFrame, stop, 11'000, 8'000, t.thread());
    t.api("cudaDeviceSynchronize", 11'100, 7'000, t.thread());
    if (late_call >= 0) t.api("cudaFree", late_call, 10, t.thread());
    return t;
}

double wall_of(analyze::TestProfile t) {
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    return number(cell(table_of(session, "summary"), "wall_clock_ns"));
}

TEST(WallClock, TheProfilersOwnStartAndStopAreNotTheRun) {
    EXPECT_EQ(wall_of(profiled("profiler.py:101 start_trace", "profiler.py:213 stop_trace", 10'200)), 1'000);
    EXPECT_EQ(wall_of(profiled("torch/profiler/profiler.py(695): __enter__",
                               "torch/profiler/profiler.py(698): __exit__", 10'200)),
              1'000);
    // A function of that name of somebody else's; work of a device, and a call outside: the program's own.
    EXPECT_EQ(wall_of(profiled("my/engine.py(7): start", "my/engine.py(9): stop", 10'200)), 20'000);
    EXPECT_EQ(wall_of(profiled("my/profiler.py(7): start", "line_profiler.py:9 stop_trace", 10'200)), 20'000);
    EXPECT_EQ(wall_of(profiled("profiler.py:101 start_trace", "profiler.py:213 stop_trace", 12'000)), 10'000);
    EXPECT_EQ(wall_of(profiled("profiler.py:101 start_trace", "profiler.py:213 stop_trace", 10'200, 19'500)),
              10'000);
}

// What the program does for long before or behind them is its own; and record_function comes and goes as
// often as the program likes.
TEST(WallClock, WhatTheProgramDoesBesideTheProfilerIsTheRun) {
    const auto run = [](const char* enter, const char* exit) {
        analyze::TestProfile t;
        t.host(HostKind::kPythonFrame, "train.py(1): main", 0, 20'000, t.thread());
        t.host(HostKind::kPythonFrame, enter, 9'000, 500, t.thread());
        t.op("aten::mm", 10'100, 50);
        t.host(HostKind::kPythonFrame, exit, 10'200, 500, t.thread());
        return wall_of(std::move(t));
    };
    EXPECT_EQ(run("torch/profiler/profiler.py(695): __enter__", "torch/profiler/profiler.py(698): __exit__"),
              20'000);
    EXPECT_EQ(run("torch/autograd/profiler.py(605): __enter__", "torch/autograd/profiler.py(611): __exit__"),
              20'000);
    EXPECT_EQ(wall_of(profiled("torch/autograd/profiler.py(605): __enter__",
                               "torch/autograd/profiler.py(611): __exit__", 10'200)),
              20'000);
}

TEST(WallClock, WhatIsLeftOutAsTheProfilersIsSaid) {
    const StoredProfile stored(profiled("profiler.py:101 start_trace", "profiler.py:213 stop_trace", 10'200));
    EXPECT_THAT(stored.open().range().notes,
                Contains(HasSubstr("the profiler's own start and stop, 0.019 ms by its Python frames")));
}

// Steps 0 to 5 and 20 to 25 of 100 us, nothing recorded between.
TEST(WallClock, HoldsNoPauseOfTheRecording) {
    const auto stored = [] {
        analyze::TestProfile t;
        for (const int64_t i : {0, 1, 2, 3, 4, 5, 20, 21, 22, 23, 24, 25}) {
            t.annotation("ProfilerStep#" + std::to_string(i), 100'000 * i, 100'000, t.thread());
            t.op("aten::mm", 100'000 * i + 1'000, 80'000);
        }
        return StoredProfile(std::move(t));
    }();
    for (const RangeOptions& options : {RangeOptions{.all = true}, RangeOptions{.whole = true},
                                        RangeOptions{.all = true, .key_op = "aten::mm"}}) {
        Session session = stored.open(options);
        const auto rows =
            session.query("SELECT sum(end_ns - begin_ns)::BIGINT AS ns, count(*) AS stretches FROM sel_wall");
        ASSERT_TRUE(rows);
        const int64_t wall = std::get<int64_t>(rows->rows.at(0)[0]);
        EXPECT_LE(wall, 1'200'000);
        EXPECT_GE(wall, 1'100'000);
        EXPECT_EQ(std::get<int64_t>(rows->rows[0][1]), 2);
        const auto longest =
            session.query("SELECT max(end_ns - begin_ns)::BIGINT AS ns FROM sel_iteration_times");
        ASSERT_TRUE(longest);
        EXPECT_LE(std::get<int64_t>(longest->rows.at(0)[0]), 110'000);
        const auto report = make_report(session, "summary", {.for_people = true});
        ASSERT_TRUE(report);
        EXPECT_THAT(report->notes, Contains(HasSubstr("the recording pauses once, for 0.001 s in all")));
    }
    Session second = stored.open({.start = 6, .stop = 11});
    const auto report = make_report(second, "summary", {.for_people = true});
    ASSERT_TRUE(report);
    EXPECT_THAT(report->notes, Not(Contains(HasSubstr("the recording pauses"))));
}

}  // namespace
}  // namespace opsight::query
