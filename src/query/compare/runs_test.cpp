#include "query/compare/runs.h"

#include <gmock/gmock.h>

#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "query/compare/gates.h"
#include "query/compare/test_tree.h"

namespace opsight::query {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A run of eight iterations about so long, within 0.7 %.
Side run(int64_t ns, bool whole = false) {
    Side side;
    side.label = std::to_string(ns);
    side.range.whole = whole;
    side.work = TestTree().finish();
    for (int64_t i = 0; i < (whole ? 1 : 8); ++i) {
        IterationShares each;
        each.iteration = i;
        each.dur_ns = ns + i * ns / 1000;
        side.samples.push_back(each);
    }
    return side;
}

Comparison compared(const std::vector<int64_t>& base, const std::vector<int64_t>& next) {
    auto out = compare_runs(base.size(), next.size(), [&](bool of_next, size_t i, const RunChoice& choice) {
        return Result<Side>(run((of_next ? next : base)[i], choice.whole));
    });
    if (!out) ADD_FAILURE() << out.error().message();
    return std::move(out).value();
}

std::vector<std::string> caveats(const Comparison& it) {
    std::vector<std::string> kinds;
    for (const Caveat& each : it.caveats)
        kinds.push_back(each.kind);
    return kinds;
}

TEST(Runs, WhatRunsDifferByIsNoise) {
    // Two by two, the iterations of any of these runs would differ without a doubt.
    const std::vector<int64_t> base{100'000, 110'000, 104'000, 107'000, 102'000},
        next{103'000, 109'000, 101'000, 111'000, 106'000};
    const Comparison one = compared({base[0]}, {next[0]});
    EXPECT_EQ(one.time.verdict, Verdict::kRunToRun) << "3 % apart, as runs of one program may be";
    EXPECT_THAT(verdict_text(one), HasSubstr("runs of one program may differ by 5.017 µs (5 %, or"));
    EXPECT_EQ(compared({100'000}, {106'000}).time.verdict, Verdict::kReal);
    EXPECT_THAT(caveats(one), ::testing::Contains("one_run"));
    const Comparison it = compared(base, next);
    EXPECT_EQ(it.time.verdict, Verdict::kNoise);
    EXPECT_THAT(caveats(it), ElementsAre("shown_runs"));
}

TEST(Runs, FiveSlowerOnesAreNoNoise) {
    const Comparison it = compared({100'000, 103'000, 101'000, 104'000, 102'000},
                                   {105'000, 109'000, 106'000, 107'000, 108'000});
    EXPECT_EQ(it.time.verdict, Verdict::kReal);
    EXPECT_EQ(it.time.base_median, 102'357);
    EXPECT_EQ(it.time.next_median, 107'375);
    EXPECT_EQ(it.base.label, "102000");
    EXPECT_EQ(it.next.label, "107000");
    const Report report = comparison_report(it, {});
    EXPECT_EQ(report.sections[2].table.name, "runs");
    EXPECT_EQ(report.sections[2].table.rows.size(), 10u);
}

// In the run in the middle an op is slower in all iterations, and in no other run.
TEST(Runs, WhatOneRunHasByChanceIsNoCause) {
    const auto read = [](bool next, size_t i, const RunChoice& choice) {
        Side side = run((next ? 110'000 : 100'000) + static_cast<int64_t>(i) * 1'000, choice.whole);
        TestTree tree;
        tree.op("aten::addmm", 0, next ? 40'000 : 30'000);
        tree.op("aten::relu", 0, next && i == 2 ? 9'000 : 5'000, "relu");
        side.work = tree.finish();
        return Result<Side>(std::move(side));
    };
    const auto kind_of = [](const Comparison& it, const std::string& op) {
        for (const Change& each : it.changes.ops)
            if (each.op == op) return each.kind;
        ADD_FAILURE() << "no op " << op;
        return ChangeKind::kSame;
    };
    const auto it = compare_runs(5, 5, read);
    ASSERT_TRUE(it.has_value());
    EXPECT_EQ(kind_of(*it, "aten::addmm"), ChangeKind::kSlower);
    EXPECT_EQ(kind_of(*it, "aten::relu"), ChangeKind::kSame);
    const auto few = compare_runs(3, 3, read);
    ASSERT_TRUE(few.has_value());
    EXPECT_EQ(kind_of(*few, "aten::addmm"), ChangeKind::kSlower) << "by iterations";
}

TEST(Runs, TooFewOfThemAreSaidToBeThat) {
    const Comparison it = compared({100'000, 101'000, 102'000}, {200'000, 201'000, 202'000});
    EXPECT_EQ(it.time.verdict, Verdict::kTooFew);
    EXPECT_THAT(caveats(it), ElementsAre("few_runs", "shown_runs"));
    EXPECT_THAT(verdict_text(it), HasSubstr("too few runs"));
    EXPECT_THAT(verdict_text(it), Not(HasSubstr("iterations")));
    EXPECT_EQ(compared({100'000}, {200'000, 201'000}).time.verdict, Verdict::kSingle);
}

// Of too few runs the iterations are asked, unless the runs of the two sides lie among each other.
TEST(Runs, ALimitIsHeldByIterationsWhereRunsAreTooFew) {
    const auto judged = [](const Comparison& it) {
        return check_gates(it, {parse_gate("iteration_time > 3%").value()}, false).at(0);
    };
    EXPECT_FALSE(judged(compared({100'000, 101'000, 102'000, 103'000, 104'000}, {120'000})).held);
    EXPECT_FALSE(judged(compared({100'000, 101'000, 102'000}, {200'000, 201'000})).held);
    const GateResult among = judged(compared({100'000, 102'000, 130'000}, {120'000}));
    EXPECT_TRUE(among.held);
    EXPECT_EQ(among.doubtful, 1u);
}

TEST(Runs, OneWithoutIterationsMakesAllWhole) {
    auto out = compare_runs(2, 2, [](bool next, size_t i, const RunChoice& choice) {
        return Result<Side>(run(100'000, choice.whole || (next && i == 1)));
    });
    ASSERT_TRUE(out.has_value());
    EXPECT_TRUE(out->base.range.whole && out->next.range.whole);
    EXPECT_EQ(out->base_runs.at(0).iterations, 0);
    EXPECT_EQ(out->time.verdict, Verdict::kEqual);
}

// One run leaves its first two iterations out as warm-up, the others one or none: what runs in these alone
// would be gone.
TEST(Runs, AllLeaveTheSameWarmUpOut) {
    std::map<std::pair<bool, size_t>, std::vector<int64_t>> asked;
    auto out = compare_runs(1, 2, [&](bool next, size_t i, const RunChoice& choice) {
        asked[{next, i}].push_back(choice.warmup);
        Side side = run(100'000);
        side.range.start = std::max<int64_t>(choice.warmup, next ? static_cast<int64_t>(i) + 1 : 0);
        return Result<Side>(std::move(side));
    });
    ASSERT_TRUE(out.has_value());
    EXPECT_EQ(out->base.range.start, 2);
    EXPECT_THAT((asked[{false, 0}]), ElementsAre(0, 2));
    EXPECT_THAT((asked[{true, 0}]), ElementsAre(0, 2));
    EXPECT_THAT((asked[{true, 1}]), ElementsAre(0));
}

// What is read beside the base is what would have been read after it.
TEST(Runs, BothSidesAtOnceAreReadAsOneByOne) {
    struct Case {
        bool base_whole, next_whole;
        int64_t next_rank;
    };
    for (const Case& each : {Case{false, false, 3}, {true, false, 3}, {false, true, 3}, {false, false, 5}}) {
        std::mutex mutex;
        std::set<std::thread::id> threads;
        int reads = 0;
        const auto read = [&](bool next, size_t, const RunChoice& choice) {
            const std::lock_guard lock(mutex);
            threads.insert(std::this_thread::get_id());
            ++reads;
            Side side =
                run(next ? 120'000 : 100'000, choice.whole || (next ? each.next_whole : each.base_whole));
            side.rank = choice.rank.value_or(next ? each.next_rank : 3);
            return Result<Side>(std::move(side));
        };
        for (const Reading how : {Reading::kOneByOne, Reading::kBeside}) {
            threads.clear();
            reads = 0;
            const auto it = compare_runs(1, 1, read, how);
            ASSERT_TRUE(it.has_value());
            EXPECT_EQ(it->next.rank, 3);
            EXPECT_EQ(it->base.range.whole, each.base_whole || each.next_whole);
            EXPECT_EQ(it->next.range.whole, each.base_whole || each.next_whole);
            EXPECT_EQ(threads.size(), how == Reading::kBeside ? 2U : 1U);
            const bool alike = !each.base_whole && !each.next_whole && each.next_rank == 3;
            if (alike) {
                EXPECT_EQ(reads, 2) << "what was guessed is taken";
            }
        }
    }
}

TEST(Runs, AnErrorOfEitherSideIsToldAlsoWhereBothAreReadAtOnce) {
    for (const bool bad : {false, true}) {
        const auto read = [bad](bool next, size_t, const RunChoice& choice) -> Result<Side> {
            if (next == bad) return fail(next ? "no new run" : "no base run");
            return run(100'000, choice.whole);
        };
        const auto it = compare_runs(1, 1, read, Reading::kBeside);
        ASSERT_FALSE(it.has_value());
        EXPECT_EQ(it.error().what, bad ? "no new run" : "no base run");
    }
}

}  // namespace
}  // namespace opsight::query
