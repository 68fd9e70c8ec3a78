// What is said before a comparison: iterations that are not alike.
#include <gmock/gmock.h>

#include "query/compare/comparison.h"
#include "query/compare/test_tree.h"

namespace opsight::query {
namespace {

using ::testing::Contains;
using ::testing::Not;
using ::testing::StartsWith;

// Eight iterations of six ops, each called so often in one, found on this ground; `loads` more ops stand
// beside them.
Side side(const char* source, int64_t calls, int loads = 0) {
    TestTree tree;
    Side side;
    side.range.source = source;
    for (int i = 0; i < 6; ++i)
        tree.tree.ops[tree.op("op" + std::to_string(i), 0, 10'000 * calls, "kernel" + std::to_string(i))]
            .cpu.calls *= calls;
    for (int i = 0; i < loads; ++i)
        tree.op("load" + std::to_string(i), 0, 10);
    for (int64_t i = 0; i < tree.tree.iterations; ++i) {
        IterationShares each;
        each.iteration = i;
        each.dur_ns = 60'000 * calls + i;
        side.samples.push_back(each);
    }
    side.work = tree.finish();
    return side;
}

Comparison compared(const char* base, int64_t base_calls, const char* next, int64_t next_calls) {
    return compare_sides(side(base, base_calls), side(next, next_calls));
}

std::vector<std::string> kinds(const Comparison& it) {
    std::vector<std::string> kinds;
    for (const Caveat& each : it.caveats)
        kinds.push_back(each.kind);
    return kinds;
}

// By marks, and by what repeats three times in each of these.
TEST(Caveats, IterationsThatWereFoundOnOtherGroundsMayNotBeAlike) {
    const Comparison it = compared("step_marker", 3, "inferred", 1);
    EXPECT_THAT(kinds(it), Contains("iterations_found_by"));
    EXPECT_THAT(kinds(it), Contains(kUnlikeIterations));
    EXPECT_THAT(verdict_text(it), StartsWith("iterations that are not alike, it seems: "));
    EXPECT_THAT(kinds(compared("inferred", 1, "step_marker", 3)), Contains(kUnlikeIterations));
}

TEST(Caveats, IterationsOfOneGroundDifferByTheProgramsDoing) {
    EXPECT_THAT(kinds(compared("step_marker", 3, "step_marker", 1)), Not(Contains(kUnlikeIterations)));
}

TEST(Caveats, IterationsThatHoldAsMuchAreAlikeHoweverTheyWereFound) {
    const Comparison it = compared("step_marker", 3, "inferred", 3);
    EXPECT_THAT(kinds(it), Contains("iterations_found_by"));
    EXPECT_THAT(kinds(it), Not(Contains(kUnlikeIterations)));
    EXPECT_THAT(verdict_text(it), StartsWith("iteration time: "));
}

// As one that loads its data in the main process, and one that has workers for it.
TEST(Caveats, WhatOneSideDoesAloneMakesIterationsNotUnlike) {
    const Comparison it = compare_sides(side("step_marker", 1, 9), side("optimizer_step", 1));
    EXPECT_THAT(kinds(it), Contains("iterations_found_by"));
    EXPECT_THAT(kinds(it), Not(Contains(kUnlikeIterations)));
}

TEST(Caveats, ABusyMachineIsSaidOfTheSideThatHadIt) {
    Side base = side("step_marker", 1), next = side("step_marker", 1);
    base.state.run_queue_pct = 4.9;
    EXPECT_THAT(kinds(compare_sides(side("step_marker", 1), std::move(base))), Not(Contains("busy_machine")));
    next.state.run_queue_pct = 31;
    const Comparison it = compare_sides(side("step_marker", 1), std::move(next));
    const auto found = std::find_if(it.caveats.begin(), it.caveats.end(),
                                    [](const Caveat& each) { return each.kind == "busy_machine"; });
    ASSERT_NE(found, it.caveats.end());
    EXPECT_THAT(found->text, StartsWith("new: in 31.0% of the time the thread of the ops waited"));
}

}  // namespace
}  // namespace opsight::query
