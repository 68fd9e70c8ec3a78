#include "analyze/cut_end.h"

#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

// Marked iterations of 10 us, each with an optimizer step; the last is `last_ns` long and may have none.
Analysis marked(int64_t last_ns, bool last_steps, bool others_step = true, int64_t count = 4) {
    TestProfile t;
    for (int64_t i = 0; i < count; ++i) {
        const bool last = i + 1 == count;
        const int64_t at = i * 10'000;
        t.annotation("ProfilerStep#" + std::to_string(i), at, last ? last_ns : 9'000, t.thread());
        t.op("aten::mm", at + 100, 200);
        if (last ? last_steps : others_step || i == 0)
            t.annotation("Optimizer.step#SGD.step", at + 5'000, 1'000, t.thread());
    }
    Profile p = t.finish();
    return analyze(p, {});
}

TEST(CutEnd, AShortLastMarkWithoutTheStepOfAllOthersIsNoIteration) {
    const Analysis cut = marked(7'000, false);
    EXPECT_EQ(cut.iterations.list.size(), 3u);
    EXPECT_EQ(
        cut.iterations.description,
        "3 x ProfilerStep# (1 more at the end without an optimizer step, which all others have: cut off, "
        "it seems)");
}

TEST(CutEnd, WhatMayBeWholeStays) {
    EXPECT_EQ(marked(7'000, true).iterations.list.size(), 4u) << "it has its step";
    EXPECT_EQ(marked(9'500, false).iterations.list.size(), 4u) << "it is as long as the others";
    EXPECT_EQ(marked(7'000, false, false).iterations.list.size(), 4u) << "not all others have a step";
    EXPECT_EQ(marked(7'000, false, true, 3).iterations.list.size(), 3u) << "two others tell too little";
}

}  // namespace
}  // namespace opsight::analyze
