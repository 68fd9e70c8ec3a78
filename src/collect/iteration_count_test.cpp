#include "collect/iteration_count.h"

#include <gtest/gtest.h>

#include <string_view>

namespace opsight::collect {
namespace {

// "L" loads a batch, any other letter is a step of the optimizer of that name.
IterationCount after(std::string_view part, int times, IterationCount count = {}) {
    for (int i = 0; i < times; ++i)
        for (const char letter : part) {
            if (letter == 'L') {
                count.batch();
            } else {
                count.step_begins(static_cast<uint64_t>(letter));
                count.step(static_cast<uint64_t>(letter));
            }
        }
    return count;
}

TEST(IterationCount, OneOptimizer) {
    EXPECT_EQ(after("A", 10).ended(), 10u);
    EXPECT_FALSE(after("A", 1).is_sure()) << "another optimizer may follow";
    EXPECT_TRUE(after("A", 2).is_sure());
    EXPECT_EQ(after("LA", 10).ended(), 9u) << "the next batch ends it";
    EXPECT_EQ(after("LLLA", 10).ended(), 9u) << "gradients of several batches";
}

TEST(IterationCount, SeveralOptimizersTakeTurns) {
    EXPECT_EQ(after("DG", 20).ended(), 20u);
    EXPECT_EQ(after("ABC", 12).ended(), 12u);
    EXPECT_EQ(after("DDDDDG", 8).ended(), 8u);
    EXPECT_EQ(after("LDG", 20).ended(), 19u);
    EXPECT_EQ(after("LDLDLDLDLDG", 4).ended(), 19u) << "a batch is an iteration";
    EXPECT_EQ(after("LALB", 10).ended(), 19u);
}

TEST(IterationCount, PhasesAreCountedStepByStep) {
    const uint64_t ended = after("B", 40, after("A", 40)).ended();
    EXPECT_EQ(ended, 80u);
    EXPECT_GE(after("A", 40, after("B", 40, after("A", 40))).ended(), 115u);
}

TEST(IterationCount, OneBatchForAllStepsTellsNothing) {
    EXPECT_EQ(after("A", 10, after("L", 1)).ended(), 10u);
    EXPECT_EQ(after("DG", 10, after("L", 1)).ended(), 10u);
}

TEST(IterationCount, ManyOptimizersStayWithinBounds) {
    IterationCount count;
    for (uint64_t i = 0; i < 10'000; ++i)
        count.step(i);
    EXPECT_GT(count.ended(), 0u);
}

}  // namespace
}  // namespace opsight::collect
