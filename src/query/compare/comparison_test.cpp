#include "query/compare/comparison.h"

#include <gmock/gmock.h>

#include <numeric>
#include <random>

#include "query/ask/test_cells.h"
#include "query/compare/test_tree.h"
#include "query/session/test_session.h"

namespace opsight::query {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A step for each of `times`, one after another: an op over its first half, and a kernel that takes `kernel`
// ns.
analyze::TestProfile steps(const std::vector<int64_t>& times, int64_t kernel) {
    analyze::TestProfile t;
    t.gpu(0, "NVIDIA H100", 9, 0);
    int64_t at = 0, number = 0;
    for (const int64_t ns : times) {
        t.annotation("ProfilerStep#" + std::to_string(number), at, ns, t.thread());
        t.op("aten::mm", at + 10, ns / 2, t.thread());
        t.api("cudaLaunchKernel", at + 20, 5, t.thread(), ++number);
        t.kernel("k", at + 30, kernel, t.stream(), number);
        at += ns;
    }
    return t;
}

Side side_of(const StoredProfile& stored, const RangeOptions& range = {.all = true},
             std::optional<int64_t> rank = {}) {
    Session session = stored.open(range);
    auto side = read_side(session, "a", rank);
    if (!side) ADD_FAILURE() << side.error().message();
    return std::move(side).value();
}

Comparison compared(analyze::TestProfile&& base, analyze::TestProfile&& next,
                    const RangeOptions& range = {.all = true}) {
    Side before = side_of(StoredProfile(std::move(base)), range);
    Side after = side_of(StoredProfile(std::move(next)), range, before.rank);
    return compare_sides(std::move(before), std::move(after));
}

std::string caveat(const Comparison& comparison, std::string_view kind) {
    for (const Caveat& each : comparison.caveats)
        if (each.kind == kind) return each.text;
    return {};
}

const std::vector<int64_t> kTimes{1000, 1010, 990, 1005, 995, 1002, 998, 1001};

TEST(Comparison, ASlowerKernelIsTheClassThatGrew) {
    std::vector<int64_t> slower = kTimes;
    for (int64_t& ns : slower)
        ns += 70;
    const Comparison it = compared(steps(kTimes, 300), steps(slower, 370));
    EXPECT_EQ(it.time.verdict, Verdict::kReal);
    EXPECT_EQ(it.time.next_median - it.time.base_median, 70);
    EXPECT_EQ(it.next_mean_ns - it.base_mean_ns, 70);
    const auto budget = comparison_report(it, {}).sections.at(3).table;
    EXPECT_EQ(number(cell(budget, "difference_ns", "class", "unknown_kernel")), 70);
    EXPECT_EQ(std::get<std::string>(cell(budget, "verdict", "class", "unknown_kernel")), "real");
    EXPECT_EQ(number(cell(budget, "difference_ns", "class", "memory")), 0);
    EXPECT_THAT(verdict_text(it),
                HasSubstr(": slower: the iterations of these two runs differ by more than noise"));
    EXPECT_THAT(verdict_text(it), HasSubstr("but runs of one program may, too"));
    EXPECT_THAT(verdict_text(it), Not(HasSubstr("stands against the noise")));
}

TEST(Comparison, WhatNeitherProfileCanTellIsEmpty) {
    const Comparison it = compared(steps(kTimes, 300), steps(kTimes, 300));
    const auto budget = comparison_report(it, {}).sections.at(3).table;
    EXPECT_TRUE(std::holds_alternative<std::monostate>(cell(budget, "base_ns", "class", "dataloader")));
    for (const char* key : {"difference_ns", "difference_pct", "verdict"})
        EXPECT_TRUE(std::holds_alternative<std::monostate>(cell(budget, key, "class", "dataloader"))) << key;
    const Report shown = comparison_report(it, {.for_people = true});
    for (const auto& row : shown.sections.at(3).table.rows)
        EXPECT_THAT(std::get<std::string>(row.at(0)), Not(HasSubstr("Data")));
}

TEST(Comparison, TheSameRunTwiceIsEqual) {
    const Comparison it = compared(steps(kTimes, 300), steps(kTimes, 300));
    EXPECT_EQ(it.time.verdict, Verdict::kEqual);
    EXPECT_THAT(verdict_text(it), HasSubstr(": the same"));
    for (const BudgetRow& row : it.budget) {
        EXPECT_EQ(row.difference_ns, 0) << row.key;
        EXPECT_EQ(row.samples.verdict, Verdict::kEqual) << row.key;
    }
}

TEST(Comparison, MeansAreThoseOfTheSummary) {
    const StoredProfile stored(steps(kTimes, 300));
    Session session = stored.open();
    auto side = read_side(session, "a");
    ASSERT_TRUE(side.has_value()) << side.error().message();
    auto summary = make_report(session, "summary", {});
    ASSERT_TRUE(summary.has_value());
    const Comparison it = compare_sides(*side, *side);
    EXPECT_EQ(static_cast<double>(it.base_mean_ns),
              number(cell(summary->sections.at(2).table, "avg_iteration_time_ns")));
}

TEST(Comparison, RowsOfTheBudgetAddUpToTheDifferenceOfMeans) {
    std::mt19937_64 random(23);
    for (int round = 0; round < 4; ++round) {
        const auto make = [&random] {
            std::vector<int64_t> times(1 + random() % 12);
            for (int64_t& ns : times)
                ns = static_cast<int64_t>(400 + random() % 1000);
            return steps(times, static_cast<int64_t>(random() % 700));
        };
        const Comparison it = compared(make(), make());
        int64_t sum = 0;
        for (const BudgetRow& row : it.budget)
            sum += row.difference_ns;
        EXPECT_EQ(sum, it.next_mean_ns - it.base_mean_ns);
        const std::vector<int64_t> times = it.base.times();
        const double mean =
            std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
        EXPECT_NEAR(static_cast<double>(it.base_mean_ns), mean, 0.5);
    }
}

TEST(Comparison, OtherMachinesAndRangesAreSaidFirst) {
    analyze::TestProfile other = steps({1000, 1010, 990}, 300);
    other.gpu(0, "AMD Instinct MI300X", 9, 4);
    const Comparison it = compared(steps(kTimes, 300), std::move(other));
    EXPECT_THAT(caveat(it, "other_device"), HasSubstr("NVIDIA H100 before, AMD Instinct MI300X after"));
    EXPECT_EQ(caveat(it, "iterations"), "8 iterations before, 3 after");
    EXPECT_EQ(caveat(it, "one_iteration"), "");
    EXPECT_EQ(caveat(it, "whole"), "");
}

TEST(Comparison, ADeviceThatOneSideDoesNotNameIsNoOther) {
    analyze::TestProfile other = steps(kTimes, 300);
    other.gpu(0, "", 9, 0);
    const Comparison it = compared(steps(kTimes, 300), std::move(other));
    EXPECT_EQ(caveat(it, "other_device"), "");
    EXPECT_EQ(caveat(it, "device_unknown"),
              "device: NVIDIA H100, by the base profile; the other does not tell");
    for (const Cause& each : it.causes)
        EXPECT_NE(each.kind, "configuration") << each.text;
}

TEST(Comparison, OtherProgramsAreSaidFirst) {
    const auto named = [](const char* op) {
        analyze::TestProfile t;
        for (int64_t i = 0; i < 8; ++i) {
            t.annotation("ProfilerStep#" + std::to_string(i), 1000 * i, 1000 + i, t.thread());
            for (int64_t k = 0; k < 4; ++k)
                t.op(op + std::to_string(k), 1000 * i + 100 * k, 90, t.thread());
        }
        return t;
    };
    const Comparison it = compared(named("aten::a"), named("jit::b"));
    ASSERT_FALSE(it.caveats.empty());
    EXPECT_EQ(it.caveats.front().kind, "other_programs");
    EXPECT_THAT(verdict_text(it), ::testing::StartsWith("different programs, it seems: iteration time"));
    const Comparison same = compared(named("aten::a"), named("aten::a"));
    EXPECT_EQ(caveat(same, "other_programs"), "");
    EXPECT_THAT(verdict_text(same), ::testing::StartsWith("iteration time"));
}

// All names of the small one are the large one's, too.
TEST(Comparison, ASmallProgramIsAnotherThanALargeOne) {
    TestTree base, next;
    for (TestTree* each : {&base, &next})
        each->op("aten::copy_", 0, 1000);
    next.op("aten::mm", 0, 99'000);
    Comparison it;
    it.base.work = base.finish(), it.next.work = next.finish();
    it.changes = find_changes(it.base.work, it.next.work);
    it.caveats = find_caveats(it);
    EXPECT_THAT(caveat(it, "other_programs"), HasSubstr("1.0% of the time of the new run's ops"));
    it.changes = find_changes(it.base.work, it.base.work);
    it.next.work = it.base.work;
    it.caveats = find_caveats(it);
    EXPECT_EQ(caveat(it, "other_programs"), "");
}

// Ops of one iteration after another, all with inputs of so many items.
TestTree of_batch(int items) {
    TestTree t;
    for (int i = 0; i < 6; ++i)
        t.op("op" + std::to_string(i), 0, 1000 * items, "k",
             i == 0 ? "[[7]]" : "[[" + std::to_string(items) + "," + std::to_string(i) + "],[]]");
    return t;
}

TEST(Comparison, AnotherBatchSizeAndOtherClocksAreSaid) {
    Comparison it;
    const auto caveats = [&it](int before, int after) {
        it.changes = find_changes(of_batch(before).finish(), of_batch(after).finish());
        it.caveats = find_caveats(it);
        return caveat(it, "batch");
    };
    EXPECT_EQ(caveats(32, 64),
              "the first dimension of inputs is 2 times as long in 5 of 6 ops, mostly 32 before and 64 "
              "after: where that is the batch, --per-sample 32 64 compares the time of an item");
    EXPECT_EQ(caveats(32, 32), "");
    it.base.batch = 32, it.next.batch = 64;
    EXPECT_EQ(caveats(32, 64), "") << "it was told";
    it.base.state.clocks["SM clock"] = 1980, it.next.state.clocks["SM clock"] = 1410;
    it.base.state.clocks["memory clock"] = 2600, it.next.state.clocks["memory clock"] = 2605;
    caveats(32, 32);
    EXPECT_EQ(caveat(it, "clocks"), "SM clock: 1980 before, 1410 after, on average");
}

TEST(Comparison, WhatOneSideDoesNotTellOfOpsIsSaid) {
    TestTree t;
    t.op("aten::mm", t.layer("Block"), 1000);
    Comparison it;
    it.base.work = t.finish();
    it.next.work = without_layers(it.base.work, false);
    it.caveats = find_caveats(it);
    EXPECT_THAT(caveat(it, "layers"), HasSubstr("layers are recorded in the base profile only"));
    EXPECT_THAT(caveat(it, "shapes"), HasSubstr("shapes of inputs are recorded in the base profile only"));
    EXPECT_EQ(caveat(it, "dtypes"), "");
    it.next.work = it.base.work;
    it.caveats = find_caveats(it);
    EXPECT_EQ(caveat(it, "layers") + caveat(it, "shapes"), "");
}

TEST(Comparison, ASideWithoutOpsMatchesNothing) {
    TestTree none, some;
    some.op("aten::mm", 0, 1000);
    const Changes found = find_changes(none.finish(), some.finish());
    EXPECT_EQ(found.base_matched, 0);
    EXPECT_EQ(found.next_matched, 0);
}

TEST(Comparison, OneIterationASideIsSaidToBeThat) {
    const Comparison it =
        compared(steps(kTimes, 300), steps(kTimes, 350), {.start = 2, .stop = 2, .all = true});
    EXPECT_EQ(it.time.verdict, Verdict::kEqual);
    const Comparison moved =
        compared(steps(kTimes, 300), steps({1100, 1200, 1300}, 350), {.start = 2, .stop = 2, .all = true});
    EXPECT_EQ(moved.time.verdict, Verdict::kSingle);
    EXPECT_THAT(caveat(moved, "one_iteration"), HasSubstr("how much they vary is not known"));
    EXPECT_THAT(verdict_text(moved), HasSubstr("nothing tells whether that is noise"));
}

TEST(Comparison, RecordingsWithoutIterationsAreComparedWhole) {
    const auto plain = [](int64_t kernel) {
        analyze::TestProfile t;
        t.op("aten::mm", 0, 100);
        t.api("cudaLaunchKernel", 10, 5, t.thread(), 1);
        t.kernel("k", 50, kernel, t.stream(), 1);
        return t;
    };
    const Comparison it = compared(plain(100), plain(130), {});
    EXPECT_EQ(it.base_mean_ns, 150);
    EXPECT_EQ(it.next_mean_ns, 180);
    EXPECT_THAT(caveat(it, "whole"), HasSubstr("the whole recordings are compared"));
    const ResultTable answer = comparison_report(it, {}).sections.at(0).table;
    EXPECT_EQ(std::get<std::string>(cell(answer, "measured")), "whole recording");
    EXPECT_TRUE(std::holds_alternative<std::monostate>(cell(answer, "base_iterations")));
    EXPECT_TRUE(std::holds_alternative<std::monostate>(cell(answer, "p")));
    EXPECT_EQ(std::get<std::string>(cell(answer, "verdict")), "one sample");
    for (const auto& section : comparison_report(it, {}).sections)
        EXPECT_THAT(section.table.title, Not(HasSubstr("Iteration")));
    EXPECT_THAT(launch_report(it, {}).sections.at(0).table.title, Not(HasSubstr("Iteration")));
    for (const Caveat& each : it.caveats)
        EXPECT_THAT(each.text, Not(HasSubstr("as was asked for")));
}

TEST(Comparison, AnOutlierIsNamedAndMovesNoVerdict) {
    std::vector<int64_t> odd = kTimes;
    odd[3] = 9000;
    const Comparison it = compared(steps(kTimes, 300), steps(odd, 300));
    EXPECT_THAT(caveat(it, "outlier"),
                HasSubstr("new: 1 of 8 iterations far longer than the others: 3 (9.0 x"));
    EXPECT_EQ(it.caveats.front().kind, "outlier") << "it is said first";
    EXPECT_EQ(it.time.verdict, Verdict::kNoise);
}

TEST(Comparison, ADriftWithinARunIsNamed) {
    std::vector<int64_t> rising;
    for (int64_t i = 0; i < 14; ++i)
        rising.push_back(1000 + 20 * i);
    const Comparison it = compared(steps(kTimes, 300), steps(rising, 300));
    EXPECT_THAT(caveat(it, "drift"), HasSubstr("new: the second half of its iterations is longer by"));
}

// Rank 0 takes 1000 ns an iteration, rank 1 `other`.
analyze::TestProfile two_ranks(int64_t other) {
    analyze::TestProfile t = steps({1000, 1000}, 10);
    t.add_rank(1);
    for (int64_t i = 0; i < 2; ++i) {
        t.annotation("ProfilerStep#" + std::to_string(i), other * i, other, t.thread());
        t.op("aten::mm", other * i, 100, t.thread());
    }
    return t;
}

TEST(Comparison, OfSeveralRanksTheSlowestIsComparedWithItself) {
    const Comparison same = compared(two_ranks(1500), two_ranks(1501));
    EXPECT_EQ(same.base.rank, 1);
    EXPECT_EQ(same.next.rank, 1);
    EXPECT_EQ(same.next_mean_ns, 1501);
    EXPECT_EQ(caveat(same, "other_rank") + caveat(same, "slowest_rank"), "");
    // Another one is the slowest by a hair: it is no other work that is compared.
    const Comparison hair = compared(two_ranks(1001), two_ranks(999));
    EXPECT_EQ(hair.next.rank, 1);
    EXPECT_EQ(hair.next_mean_ns, 999);
    EXPECT_THAT(caveat(hair, "slowest_rank"), HasSubstr("rank 0 is the slowest after"));
}

TEST(Comparison, ARankThatTheOtherSideLacksIsSaid) {
    const Comparison it = compared(two_ranks(1500), steps({1000, 1000}, 10));
    EXPECT_EQ(it.base.rank, 1);
    EXPECT_EQ(it.next.rank, 0);
    EXPECT_THAT(caveat(it, "other_ranks"), HasSubstr("ranks: 2 before, 1 after"));
    EXPECT_THAT(caveat(it, "other_rank"), HasSubstr("rank 1 is compared with rank 0"));
}

TEST(Comparison, AnEmptyProfileIsRefused) {
    const StoredProfile stored{analyze::TestProfile()};
    Session session = stored.open();
    const auto side = read_side(session, "nothing.opsight");
    ASSERT_FALSE(side.has_value());
    EXPECT_THAT(side.error().message(), HasSubstr("nothing.opsight: nothing was recorded in the range"));
}

}  // namespace
}  // namespace opsight::query
