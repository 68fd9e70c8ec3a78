// What is said before a comparison: iterations that are not alike.
#include <gmock/gmock.h>

#include "query/compare/comparison.h"
#include "query/compare/test_tree.h"

namespace opsight::query {
namespace {

using ::testing::Contains;
using ::testing::Not;
using ::testing::StartsWith;

// Eight iterations with `calls` ops each, found on this ground.
Side side(const char* source, int calls) {
    TestTree tree;
    Side side;
    side.range.source = source;
    for (int i = 0; i < calls; ++i)
        tree.op("op" + std::to_string(i % 6), 0, 10'000, "kernel" + std::to_string(i % 6));
    for (int64_t i = 0; i < tree.tree.iterations; ++i) {
        IterationShares each;
        each.iteration = i;
        each.dur_ns = calls * (10'000 + i);
        side.samples.push_back(each);
    }
    side.work = tree.finish();
    return side;
}

Comparison compared(const char* base, int base_calls, const char* next, int next_calls) {
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
    const Comparison it = compared("step_marker", 18, "inferred", 6);
    EXPECT_THAT(kinds(it), Contains("iterations_found_by"));
    EXPECT_THAT(kinds(it), Contains(kUnlikeIterations));
    EXPECT_THAT(verdict_text(it), StartsWith("iterations that are not alike, it seems: "));
    EXPECT_THAT(kinds(compared("inferred", 6, "step_marker", 18)), Contains(kUnlikeIterations));
}

TEST(Caveats, IterationsOfOneGroundDifferByTheProgramsDoing) {
    EXPECT_THAT(kinds(compared("step_marker", 18, "step_marker", 6)), Not(Contains(kUnlikeIterations)));
}

TEST(Caveats, IterationsThatHoldAsMuchAreAlikeHoweverTheyWereFound) {
    const Comparison it = compared("step_marker", 18, "inferred", 18);
    EXPECT_THAT(kinds(it), Contains("iterations_found_by"));
    EXPECT_THAT(kinds(it), Not(Contains(kUnlikeIterations)));
    EXPECT_THAT(verdict_text(it), StartsWith("iteration time: "));
}

}  // namespace
}  // namespace opsight::query
