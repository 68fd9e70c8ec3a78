// What advice makes of waits for a processor.
#include "advise/test_rules.h"

namespace opsight::advise {
namespace {

// Twenty steps of 10 ms on the CPU: an op of 6 ms, then 4 ms of which nothing is recorded but, in `waited_us`
// of each step, that the thread waits for a processor.
Recorded busy_machine(int64_t waited_us, int64_t tid = 1) {
    Recorded run{.device = false};
    run.begin();
    run.told("run_queue", "schedstat");
    const TrackId queue =
        run.t.builder.other_track(RankId(size_t{0}), "100", "Run queue of thread " + std::to_string(tid));
    for (int64_t i = 0; i < run.steps; ++i) {
        run.t.op("aten::add", Recorded::at(i), 6 * kMs);
        if (waited_us > 0)
            run.t.builder.add_host({Recorded::at(i) + 9900 * kUs - waited_us * kUs, waited_us * kUs, queue,
                                    run.t.builder.text("Waiting for a CPU"), HostKind::kOther, 0},
                                   run.t.builder.text("run_queue").value);
    }
    return run;
}

TEST(WaitsForProcessors, AreANoteFromAShareOn) {
    Options with_rows;
    with_rows.rows = 5;
    for (const int64_t waited_us : {0, 400, 600}) {
        const Advice advice = busy_machine(waited_us).ask("run_queue", with_rows);
        ASSERT_EQ(advice.findings.size(), waited_us == 600 ? 1U : 0U) << waited_us;
        if (advice.findings.empty()) continue;
        const Finding& found = advice.findings[0];
        EXPECT_EQ(found.kind, "note");
        EXPECT_EQ(found.title, "The program waits for a processor in 6.0% of the time: others have it");
        EXPECT_NE(found.evidence.find("0.60 ms per iteration"), std::string::npos) << found.evidence;
        EXPECT_EQ(found.rows.table.rows.size(), 1U);
    }
}

TEST(WaitsForProcessors, AreNoTimeOfTheProgram) {
    for (const int64_t waited_us : {0, 3000, 3800}) {
        const Advice advice = busy_machine(waited_us).ask("beside_ops");
        ASSERT_EQ(advice.findings.size(), waited_us == 3800 ? 0U : 1U) << waited_us;
        if (advice.findings.empty()) continue;
        const Finding& found = advice.findings[0];
        EXPECT_EQ(found.share_pct, waited_us == 0 ? 40 : 10) << found.title;
        EXPECT_EQ(
            found.evidence.find("Not counted: 30.0% in which its thread was ready") != std::string::npos,
            waited_us > 0)
            << found.evidence;
    }
}

// In ops, too, others have the processor: they weigh what is left.
TEST(WaitsForProcessors, AreNoWorkOfTheCpu) {
    Recorded run = busy_machine(0);
    const TrackId queue = run.t.builder.other_track(RankId(size_t{0}), "100", "Run queue of thread 1");
    for (int64_t i = 0; i < run.steps; ++i)
        run.t.builder.add_host({Recorded::at(i) + kMs, 4 * kMs, queue,
                                run.t.builder.text("Waiting for a CPU"), HostKind::kOther, 0},
                               run.t.builder.text("run_queue").value);
    const Advice advice = run.ask("host_bound");
    ASSERT_EQ(advice.findings.size(), 1U);
    EXPECT_NEAR(advice.findings[0].share_pct.value_or(0), 20, 0.1) << advice.findings[0].title;
    EXPECT_NE(advice.findings[0].evidence.find("in up to 40.0% of the time"), std::string::npos);
}

// A thread that runs no ops may wait while the others work.
TEST(WaitsForProcessors, OfOtherThreadsAreNotTheProgram) {
    EXPECT_TRUE(busy_machine(3000, 2).ask("run_queue").findings.empty());
}

TEST(WaitsForProcessors, AreNotKnownWhereNothingCountsThem) {
    Recorded run{.device = false};
    run.begin();
    run.t.op("aten::add", 0, kMs);
    const Advice advice = run.ask("run_queue");
    EXPECT_TRUE(advice.findings.empty());
    ASSERT_EQ(advice.not_checked.size(), 1U);
    EXPECT_NE(advice.not_checked[0].why.find("waited for a processor was not recorded"), std::string::npos)
        << advice.not_checked[0].why;
}

}  // namespace
}  // namespace opsight::advise
