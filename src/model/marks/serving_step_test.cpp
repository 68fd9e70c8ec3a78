#include "model/marks/serving_step.h"

#include <gtest/gtest.h>

namespace opsight::marks {
namespace {

using Step = ServingStep;

TEST(ServingSteps, OfEachServer) {
    EXPECT_EQ(serving_step("execute_9_context_1(sq512sk512)_generation_8(sq8sk99)"), (Step{1, 8}));
    EXPECT_EQ(serving_step("execute_context_0(0)_generation_8(8)"), (Step{0, 8}));
    EXPECT_EQ(serving_step("execute_new_1_cached_31"), (Step{1, 31}));
    EXPECT_EQ(serving_step("step[DECODE bs=8]"), (Step{0, 8}));
    EXPECT_EQ(serving_step("execute_my_context_x_context_1(1)_generation_2(2)"), (Step{1, 2}));
    EXPECT_EQ(serving_step("step[EXTEND bs=1 toks=512]"), (Step{1, 0}));
    EXPECT_EQ(serving_step("step[SPLIT_PREFILL bs=2]"), (Step{2, 0}));
    EXPECT_EQ(serving_step("step[TARGET_VERIFY bs=8]"), (Step{0, 8, true}));
    EXPECT_EQ(serving_step("step[DRAFT_EXTEND_V2 bs=8]"), (Step{0, 8, true}));
    EXPECT_EQ(serving_step("step[MIXED bs=9 toks=520]"), (Step{1, 1}));
    EXPECT_EQ(serving_step("step[IDLE bs=0]"), (Step{}));
    EXPECT_EQ(serving_step("step[SOME_NEW_MODE bs=4]"), (Step{}));
    EXPECT_EQ(serving_step("[Executor] _forward_step 12: 1 ctx reqs, 8 gen reqs"), (Step{1, 8}));
    EXPECT_EQ(serving_step("[Executor] _forward_step 60000: 0 ctx reqs, 0 ctx tokens, 32 gen reqs"),
              (Step{0, 32}));
    EXPECT_EQ(serving_step("[Executor] _forward_step: 2 ctx reqs, 0 gen reqs"), (Step{2, 0}));
}

TEST(ServingSteps, OtherTextsAreNone) {
    for (const char* text :
         {"", "execute_", "execute_model", "execute_context_1_generation_2", "execute_new_1",
          "execute_new_x_cached_2", "execute_context_99999999999999999999(1)_generation_1(1)", "step[",
          "step[DECODE]", "step[DECODE bs=-3]", "[Executor] _forward_step",
          "[Executor] _forward_step 3: 1 ctx reqs", "[Executor] _sample_async 1",
          "[Executor] _forward_step 3: 1 ctx reqs, many gen reqs", "step 3"})
        EXPECT_FALSE(serving_step(text)) << text;
}

}  // namespace
}  // namespace opsight::marks
