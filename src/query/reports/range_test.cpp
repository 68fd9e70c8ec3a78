// Which iterations a range holds, and its wall clock.
#include <gmock/gmock.h>

#include "query/reports/info.h"
#include "query/reports/test_reports.h"
#include "query/session/iteration_choice.h"

namespace opsight::query {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Iterations of 100 ns at 0, 100, ...: an op from +10 on for 50 ns, which launches a kernel of 40 ns at +50.
// Those in `compile` hold just-in-time compilation. The kernel of iteration 1 runs for 90 ns, far into the
// next.
analyze::TestProfile steps(int count, const std::vector<int>& compile) {
    analyze::TestProfile t;
    const TrackId thread = t.thread(), stream = t.stream();
    for (int i = 0; i < count; ++i) {
        const int64_t at = 100 * i;
        t.annotation("ProfilerStep#" + std::to_string(i), at, 100, thread);
        t.op("aten::mm", at + 10, 50, thread);
        t.api("cudaLaunchKernel", at + 20, 5, thread, i + 1);
        if (std::find(compile.begin(), compile.end(), i) != compile.end())
            t.api("nvrtcCompileProgram", at + 30, 5, thread);
        t.kernel("k", at + 50, i == 1 ? 90 : 40, stream, i + 1);
    }
    return t;
}

double calls(Session& session) {
    return number(cell(table_of(session, "detailed"), "calls", "op_name", "aten::mm"));
}
double wall(Session& session) {
    return number(cell(table_of(session, "summary"), "wall_clock_ns"));
}

TEST(Range, WarmupInTheMiddleIsLeftOut) {
    const StoredProfile stored(steps(6, {2}));
    Session session = stored.open();
    const Range& range = session.range();
    EXPECT_EQ(range.start, 0);
    EXPECT_EQ(range.stop, 5);
    EXPECT_EQ(range.selected, 5);
    EXPECT_THAT(range.left_out, ElementsAre(2));
    EXPECT_THAT(range.notes, Contains(HasSubstr("iteration 2 is left out as warm-up")));
    EXPECT_EQ(calls(session), 5);
    EXPECT_EQ(number(cell(table_of(session, "kernel"), "calls")), 5);
    // 0 and 1: from the mark at 0 to the end of the kernel at 240. 3 to 5: from 300 to 600.
    EXPECT_EQ(wall(session), 240 + 300);
    EXPECT_EQ(number(cell(table_of(session, "summary", "iterations"), "avg_iteration_time_ns")), 540 / 5);
}

TEST(Range, DevicesAndSharesGoByTheKeptStretches) {
    const StoredProfile stored(steps(6, {2}));
    Session session = stored.open();
    // 40 (iteration 0) + 90 (1, to 240) of the first stretch; 3 x 40 of the second. The kernel of iteration 2
    // at 250 to 290 lies in neither.
    const ResultTable devices = table_of(session, "summary", "devices");
    EXPECT_EQ(number(cell(devices, "busy_ns")), 40 + 90 + 3 * 40);
    EXPECT_NEAR(number(cell(devices, "gpu_utilization_pct")), 100.0 * 250 / 540, 1e-9);
    const ResultTable head = table_of(session, "summary");
    EXPECT_NEAR(number(cell(head, "unknown_kernel_pct")), 100.0 * 250 / 540, 1e-9);
    // Of a device that is not described no share of Tensor Cores is told, and there is none.
    EXPECT_TRUE(is_empty(cell(head, "tensor_core_kernel_pct")));
    double shares = 0;
    for (const char* key : {"unknown_kernel_pct", "non_tensor_core_kernel_pct", "communication_pct",
                            "memory_pct", "cpu_pct", "host_pct", "idle_pct"})
        shares += number(cell(head, key));
    EXPECT_NEAR(shares, 100, 1e-9);
}

TEST(Range, OfAHostThatWasNotRecordedNothingIsKnown) {
    analyze::TestProfile t;
    t.gpu(0, "a GPU", 8, 0);
    t.kernel("k", 100, 50, t.stream(), 1);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.whole = true});
    EXPECT_TRUE(is_empty(cell(table_of(session, "summary"), "cpu_pct")));
    const auto kernels = make_report(session, "kernel_name", {.for_people = true});
    ASSERT_TRUE(kernels.has_value());
    EXPECT_EQ(kernels->sections.at(0).table.columns.at(0).key, "label")
        << "what tells names apart comes first";
}

TEST(Range, LayersAreNotOfferedAsIterations) {
    for (const auto& [before, offered] : {std::pair("encoder.block.", false), std::pair("step ", true)}) {
        analyze::TestProfile t;
        for (int64_t i = 0; i < 12; ++i)
            t.annotation(before + std::to_string(i), 100 * i, 90, t.thread());
        const StoredProfile stored(std::move(t));
        Session session = stored.open({.whole = true});
        const auto hint = iteration_hint(session);
        ASSERT_TRUE(hint.has_value());
        EXPECT_EQ(!hint->empty(), offered) << *hint;
    }
}

// Numbers of a profile that another build made are that build's.
TEST(Range, SaysThatAnotherBuildMadeTheProfile) {
    const StoredProfile stored(steps(4, {}));
    EXPECT_THAT(stored.open().range().notes, Not(Contains(HasSubstr("another build"))));
    for (const char* change : {"UPDATE raw.meta SET value = 'other' WHERE key = 'rules'",
                               "DELETE FROM raw.meta WHERE key = 'rules'"}) {
        {
            auto database = duck::Database::open(stored.path(), {});
            ASSERT_TRUE(database.has_value());
            ASSERT_TRUE(database->connect()->execute(change).has_value());
        }
        EXPECT_THAT(stored.open().range().notes, Contains(HasSubstr("made by another build of Opsight")))
            << change;
    }
}

TEST(Range, AStretchEndsWhereTheNextBegins) {
    analyze::TestProfile t = steps(4, {1});
    // Launched in iteration 0, and still at work when iteration 2 begins at 200.
    t.api("cudaLaunchKernel", 26, 5, t.thread(), 99);
    t.kernel("long", 200, 50, t.stream(8), 99);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    EXPECT_EQ(wall(session), (200 - 0) + (400 - 200));
}

TEST(Range, SaysWhatItLeavesOut) {
    analyze::TestProfile t = steps(6, {2});
    t.op("before", -500, 300, t.thread());  // an op's self time: 300 of 300 + 6 x 50
    t.api("cudaLaunchKernel", -450, 5, t.thread(), 50);
    t.kernel("k", -400, 110, t.stream(), 50);  // device: 110 of 110 + 5 x 40 + 90
    const StoredProfile stored(std::move(t));
    EXPECT_THAT(
        stored.open().range().notes,
        Contains(
            "outside of the range lie 37.5% of the device time (2 of 7 pieces of work), "
            "58.3% of the ops' own time (2 of 7 ops), 37.5% of the API time (3 of 8 API calls) and 1 of 6 "
            "named ranges; --whole-run takes all in"));
    EXPECT_THAT(stored.open({.all = true}).range().notes,
                ElementsAre(HasSubstr("lie 27.5% of the device time (1 of 7 pieces of work)")));
    EXPECT_THAT(stored.open({.start = 3}).range().notes,
                ElementsAre(HasSubstr("lie 70.0% of the device time (4 of 7 pieces of work)")));
    EXPECT_THAT(stored.open({.all = true, .iteration_range = "^ProfilerStep"}).range().notes,
                ElementsAre(HasSubstr("lie 27.5% of the device time (1 of 7 pieces of work)")));
    EXPECT_THAT(stored.open({.whole = true}).range().notes, Not(Contains(HasSubstr("outside of the range"))));
}

// Ten iterations whose launches take 0.2 ms each while the device takes 0.9: it falls behind.
TEST(Range, SaysThatItBeginsWithABacklog) {
    analyze::TestProfile t;
    for (int64_t i = 0; i < 10; ++i) {
        t.annotation("ProfilerStep#" + std::to_string(i), 200'000 * i, 200'000, t.thread());
        t.op("aten::mm", 200'000 * i, 150'000);
        t.api("cudaLaunchKernel", 200'000 * i + 50'000, 5, t.thread(), i + 1);
        t.kernel("k", 300'000 + 900'000 * i, 900'000, t.stream(), i + 1);
    }
    const StoredProfile stored(std::move(t));
    // From the op of iteration 4 at 0.8 ms to the end of the kernel of iteration 3 at 3.9 ms.
    EXPECT_THAT(stored.open({.start = 4, .stop = 7}).range().notes,
                Contains("when the range begins the device is not through with what was launched before, "
                         "which ends 3.100 ms later"
                         "; the wall clock and the average iteration time hold this wait; on the device "
                         "an iteration begins every 0.900 ms"));
    EXPECT_THAT(stored.open({.start = 4, .stop = 4}).range().notes, Contains(HasSubstr("hold this wait")));
    EXPECT_THAT(stored.open({.all = true}).range().notes, Not(Contains(HasSubstr("when the range begins"))));
}

// A recording that began while the device was at work: of that no launch is known.
TEST(Range, WorkFromBeforeTheRecordingIsABacklogToo) {
    analyze::TestProfile t = steps(4, {});
    t.kernel("earlier", 0, 45, t.stream());
    const StoredProfile stored(std::move(t));
    // From the first device work at 0 to its end at 45, of 390.
    EXPECT_THAT(
        stored.open().range().notes,
        ElementsAre(HasSubstr("not through with what was launched before, which ends 0.000 ms later")));
}

// The first kernel waits for what ran before the recording began.
TEST(Range, SaysThatTheDeviceWasMostLikelyBusyBeforeTheRecording) {
    analyze::TestProfile t;
    for (int64_t i = 0; i < 4; ++i) {
        t.annotation("ProfilerStep#" + std::to_string(i), 200'000 * i, 200'000, t.thread());
        t.op("aten::mm", 200'000 * i, 150'000);
        t.api("cudaLaunchKernel", 200'000 * i + 50'000, 5, t.thread(), i + 1);
        t.kernel("k", 500'000 + 100'000 * i, 90'000, t.stream(), i + 1);
    }
    const StoredProfile stored(std::move(t));
    // From the end of the launch at 50,005 ns to the begin of its kernel at 500,000.
    EXPECT_THAT(
        stored.open({.all = true}).range().notes,
        ElementsAre(HasSubstr(
            "the first work of a stream was launched, and for 0.450 ms of the wall clock no recorded work")));
    EXPECT_THAT(stored.open({.whole = true}).range().notes,
                Contains(HasSubstr("utilization is a lower bound")));
    // The range from iteration 2 on begins at 0.4 ms, with work that was launched before it.
    EXPECT_THAT(stored.open({.start = 2}).range().notes, Contains(HasSubstr("ms later; the wall clock")));
}

TEST(Range, SaysWhatOfTheOpsLiesOutside) {
    analyze::TestProfile t;
    for (int i = 0; i < 3; ++i) {
        t.annotation("ProfilerStep#" + std::to_string(i), 100 * i, 100, t.thread());
        t.op("aten::mm", 100 * i + 10, 50);
    }
    t.op("after", 400, 50);
    const StoredProfile stored(std::move(t));
    EXPECT_THAT(
        stored.open().range().notes,
        ElementsAre(
            "outside of the range lie 25.0% of the ops' own time (1 of 4 ops); --whole-run takes all in"));
}

// As on accelerators whose queue is filled outside of ops.
TEST(Range, TheWallClockHoldsDeviceWorkBeforeTheFirstOp) {
    analyze::TestProfile t;
    for (int i = 0; i < 3; ++i) {
        t.annotation("ProfilerStep#" + std::to_string(i), 1000 * i, 1000, t.thread());
        t.api("runFunction", 1000 * i + 10, 5, t.thread(), i + 1);
        t.kernel("k", 1000 * i + 100, 200, t.stream(), i + 1);
        t.op("aten::mm", 1000 * i + 500, 100);
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    EXPECT_EQ(wall(session), 3000);
    EXPECT_EQ(number(cell(table_of(session, "summary", "devices"), "busy_ns")), 600);
}

TEST(Range, WarmupAtBothEndsMovesTheEnds) {
    const StoredProfile stored(steps(6, {0, 3, 5}));
    Session session = stored.open();
    EXPECT_EQ(session.range().start, 1);
    EXPECT_EQ(session.range().stop, 4);
    EXPECT_EQ(session.range().selected, 3);
    EXPECT_THAT(session.range().left_out, ElementsAre(3));
    EXPECT_THAT(session.range().notes, Contains(HasSubstr("3 iterations (0, 3, 5) are left out")));
    EXPECT_EQ(calls(session), 3);
}

TEST(Range, LeadingWarmup) {
    const StoredProfile stored(steps(5, {0}));
    Session session = stored.open();
    EXPECT_EQ(session.range().start, 1);
    EXPECT_THAT(session.range().left_out, IsEmpty());
    EXPECT_THAT(session.range().notes, Contains(HasSubstr("the first iteration is left out as warm-up")));
}

TEST(Range, AllIterationsTakesWarmupIn) {
    const StoredProfile stored(steps(6, {2}));
    Session session = stored.open({.all = true});
    EXPECT_EQ(session.range().selected, 6);
    EXPECT_THAT(session.range().notes, IsEmpty());
    EXPECT_EQ(calls(session), 6);
    EXPECT_EQ(wall(session), 600);
}

TEST(Range, WhatIsAskedForIsTakenAsItIs) {
    const StoredProfile stored(steps(6, {2}));
    Session session = stored.open({.start = 1, .stop = 3});
    EXPECT_EQ(session.range().selected, 3);
    EXPECT_EQ(calls(session), 3);
    EXPECT_EQ(wall(session), 400 - 100);
    EXPECT_THAT(session.range().notes, Contains(HasSubstr("holds a warm-up iteration (2)")));
    EXPECT_THAT(stored.open({.start = 3}).range().notes, Not(Contains(HasSubstr("warm-up"))));
}

TEST(Range, ARangeAskedForAtImportStays) {
    const StoredProfile stored(steps(6, {2}), {.iter_start = 1, .iter_stop = 3});
    Session session = stored.open();
    EXPECT_EQ(session.range().start, 1);
    EXPECT_EQ(session.range().selected, 3);
    EXPECT_EQ(stored.open({.all = true}).range().selected, 6);
}

TEST(Range, WhereAllIsWarmupNoneIsLeftOut) {
    const StoredProfile stored(steps(3, {0, 1, 2}));
    Session session = stored.open();
    EXPECT_EQ(session.range().selected, 3);
    EXPECT_THAT(session.range().notes, Contains(HasSubstr("every iteration counts as warm-up")));
}

TEST(Range, IterationsCutAnewLeaveWarmupOutAlike) {
    const StoredProfile stored(steps(6, {2}));
    Session session = stored.open({.iteration_range = "^ProfilerStep"});
    EXPECT_THAT(session.range().left_out, ElementsAre(2));
    EXPECT_EQ(calls(session), 5);
    EXPECT_EQ(wall(session), 540);
}

TEST(Range, WarmupOnOneRankIsLeftOutOnAll) {
    analyze::TestProfile t = steps(5, {2});
    t.add_rank(1);
    for (int i = 0; i < 5; ++i) {
        t.annotation("ProfilerStep#" + std::to_string(i), 100 * i, 100, t.thread(5));
        t.op("aten::mm", 100 * i + 20, 10, t.thread(5));
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    EXPECT_EQ(calls(session), 8);
    // The longest rank is the first: 240, then 300 to 500.
    EXPECT_EQ(wall(session), 240 + 200);
    EXPECT_EQ(number(value_of(session, "SELECT wall_ns FROM sel_wall_sums WHERE rank = 1")), 200 + 200);
}

TEST(Range, InfoTellsWhatIsLeftOut) {
    const StoredProfile stored(steps(6, {2}));
    Session session = stored.open();
    const auto info = profile_info(session);
    ASSERT_TRUE(info.has_value());
    EXPECT_EQ(info->iterations.selected, 5);
    EXPECT_THAT(info->iterations.left_out, ElementsAre(2));
}

// A program without a framework: a call and a kernel before and after three equal rounds of four launches.
analyze::TestProfile rounds() {
    analyze::TestProfile t;
    const TrackId thread = t.thread(), stream = t.stream();
    int64_t correlation = 0;
    const auto launch = [&](const char* kernel) {
        const int64_t at = 100 * ++correlation;
        t.api("cudaLaunchKernel", at, 10, thread, correlation);
        t.kernel(kernel, at + 20, 60, stream, correlation);
    };
    launch("setup");
    for (int i = 0; i < 3; ++i)
        for (const char* kernel : {"a", "b", "c", "d"})
            launch(kernel);
    t.annotation("setup", 50, 100, thread);
    return t;
}

TEST(Range, WhatAPlainProgramRepeatsDoesNotCutItsReport) {
    const StoredProfile stored(rounds());
    Session session = stored.open();
    EXPECT_TRUE(session.range().whole);
    EXPECT_EQ(session.range().total, 3);
    EXPECT_EQ(session.range().source, "inferred");
    EXPECT_THAT(session.range().notes, Contains(HasSubstr("whole run")));
    EXPECT_EQ(table_of(session, "kernel").rows.size(), 5U);
    EXPECT_EQ(wall(session), 1380 - 50);
    Session chosen = stored.open({.start = 1, .stop = 2});
    EXPECT_FALSE(chosen.range().whole);
    EXPECT_EQ(table_of(chosen, "kernel").rows.size(), 4U);
}

TEST(Range, TheSummarySaysWhatLiesOutside) {
    const StoredProfile stored(rounds());
    Session session = stored.open({.start = 1, .stop = 2});
    const auto report = make_report(session, "summary", {});
    ASSERT_TRUE(report.has_value());
    EXPECT_THAT(
        report->notes,
        Contains("outside of the range lie 38.5% of the device time (5 of 13 pieces of work), 38.5% "
                 "of the API time (5 of 13 API calls) and 1 of 1 named ranges; --whole-run takes all in"));
}

TEST(Range, TheWholeRunCanBeAskedFor) {
    const StoredProfile stored(steps(6, {0}));
    EXPECT_EQ(stored.open().range().selected, 5);
    Session session = stored.open({.whole = true});
    EXPECT_TRUE(session.range().whole);
    EXPECT_EQ(session.range().total, 6);
    EXPECT_EQ(calls(session), 6);
    const auto both = Session::open(stored.path(), {.all = true, .whole = true});
    ASSERT_FALSE(both.has_value());
    EXPECT_EQ(both.error().exit_code, 2);
}

// The program waits for its user after the last launch: that is recorded, and none of the wall clock.
TEST(Range, AWholeRunSaysWhatItsWallClockLeavesOut) {
    analyze::TestProfile t;
    t.host(HostKind::kOther, "open", 0, 200'000'000, t.thread());
    t.api("cudaLaunchKernel", 1'000'000'000, 1'000'000'000, t.thread(), 1);
    t.host(HostKind::kOther, "getc", 2'500'000'000, 4'500'000'000, t.thread());
    const StoredProfile stored(std::move(t));
    EXPECT_THAT(
        stored.open().range().notes,
        Contains(EndsWith("for 1.000 s before it and 5.000 s after it only system and library calls were "
                          "recorded")));
}

// The profiler's own work is none of the program's calls, and a range that was never closed does not last
// until its end.
TEST(Range, AWholeRunDoesNotHoldTheProfilersEnd) {
    analyze::TestProfile t;
    t.api("cudaLaunchKernel", 0, 1'000'000'000, t.thread(), 1);
    t.builder.add_host(
        {500'000'000, 0, t.thread(), t.builder.text("main"), HostKind::kAnnotation, kUnfinished});
    t.host(HostKind::kOverhead, "CUDA profiling stop overhead", 1'000'000'000, 2'000'000'000, t.thread(2));
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.whole = true});
    EXPECT_EQ(wall(session), 1'000'000'000);
    EXPECT_THAT(session.range().notes,
                Contains(EndsWith("for 2.000 s after it only the profiler's own work was recorded")));
}

// What follows the last iteration is none of its time.
TEST(Range, IterationsOfAWholeRunKeepTheirTimes) {
    analyze::TestProfile t = steps(4, {});  // 100 each
    t.op("saving", 1000, 5000);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.whole = true});
    EXPECT_EQ(wall(session), 6000);
    const ResultTable times = table_of(session, "summary", "iterations");
    EXPECT_LE(number(cell(times, "max_ns")), 100);
    EXPECT_LE(number(cell(times, "avg_iteration_time_ns")), 100);
}

// Of a machine with devices, of which neither work nor calls were recorded.
TEST(Range, DevicesThatAreNotSeenMayHaveWorked) {
    analyze::TestProfile t;
    t.gpu(0, "a GPU", 8, 0).declared = true;
    t.op("aten::mm", 0, 100);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    for (const char* name : {"summary", "kernel", "roofline"}) {
        const auto report = make_report(session, name, {.for_people = true});
        ASSERT_TRUE(report.has_value()) << name;
        EXPECT_THAT(report->notes, Contains(HasSubstr("whether the machine's devices worked is not known")))
            << name;
        EXPECT_THAT(report->notes, Not(Contains(HasSubstr("nothing ran on a device")))) << name;
    }
}

// Of a file without anything, or without anything that is known, no device is known to have been idle either.
TEST(Range, OfAFileWithoutAnythingNothingIsSaidOfDevices) {
    for (const Diag diag : {Diag::kNothingRecorded, Diag::kNothingKnown, Diag::kBadTime}) {
        analyze::TestProfile t;
        t.annotation("span", 0, 100, t.thread());
        t.builder.diagnostics().add(diag, {});
        const StoredProfile stored(std::move(t));
        Session session = stored.open();
        const auto report = make_report(session, "kernel", {.for_people = true});
        ASSERT_TRUE(report.has_value());
        EXPECT_THAT(report->notes,
                    Contains(HasSubstr(diag == Diag::kBadTime ? "nothing ran on a device" : "is not known")));
    }
}

// Work that no call is seen to launch, on two streams of a device alone.
TEST(Range, WorkWithoutALaunchHasNoCallsAndNoProcess) {
    analyze::TestProfile t;
    t.kernel("void at::native::vectorized_kernel<4>(int)", 0, 100, t.stream(7));
    t.kernel("void at::native::vectorized_kernel<4>(int)", 5000, 100, t.stream(8));
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    const ResultTable ops = table_of(session, "detailed");
    ASSERT_EQ(ops.rows.size(), 1U);
    EXPECT_EQ(number(cell(ops, "total_gpu_time_ns")), 200);
    for (const char* of_calls : {"calls", "total_cpu_time_ns", "avg_gpu_time_ns", "total_gpu_idle_ns"})
        EXPECT_TRUE(is_empty(cell(ops, of_calls))) << of_calls;
    const ResultTable system = table_of(session, "summary", "system");
    for (const char* nobody : {"processes", "threads"})
        EXPECT_TRUE(is_empty(cell(system, nobody))) << nobody;
}

}  // namespace
}  // namespace opsight::query
