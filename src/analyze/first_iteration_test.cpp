#include "analyze/first_iteration.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

class FirstIteration : public ::testing::Test {
  protected:
    Iterations found() {
        profile = t.finish();
        return analyze(profile, {}).iterations;
    }
    TestProfile t;
    Profile profile;
};

// Steps as an optimizer's of a small network: data, forward, backward, the step, and what follows it. The
// first one does not follow another: what follows a step is not in it.
int64_t add_step(TestProfile& t, int64_t at, bool first_forward_is_other = false) {
    const TrackId thread = t.thread();
    const std::vector<const char*> usual = {"Optimizer.zero_grad#SGD.zero_grad",
                                            "aten::to",
                                            "aten::linear",
                                            "aten::relu",
                                            "aten::mse_loss",
                                            "AddmmBackward0"};
    for (const char* name : usual) {
        const bool forward =
            std::string_view(name) == "aten::linear" || std::string_view(name) == "aten::relu";
        t.op(forward && first_forward_is_other ? "prim::profile" : name, at, 900, thread);
        at += 1000;
    }
    t.annotation("Optimizer.step#SGD.step", at, 900, thread);
    t.op("aten::item", at + 1000, 100, thread);
    return at + 2000;
}

TEST_F(FirstIteration, WhatAProgramSetsUpIsNoPartOfTheFirstStep) {
    int64_t at = 0;
    for (int i = 0; i < 20; ++i, at += 1000)
        t.op(i % 3 == 2 ? "aten::to" : "aten::uniform_", at, 900);
    t.op("aten::zeros", at, 900);
    t.op("aten::arange", at, 900, t.thread(2));  // a thread that has nothing of the steps
    const int64_t set_up = at + 1000;
    at = set_up;
    for (int i = 0; i < 4; ++i)
        at = add_step(t, at);
    const Iterations all = found();
    ASSERT_EQ(all.list.size(), 4u);
    EXPECT_EQ(all.list[0].begin_ns, set_up);
    EXPECT_EQ(all.list[0].end_ns, set_up + 6900);
    EXPECT_EQ(all.list[1].begin_ns, set_up + 6900);
}

// The first step may compile, or search: that is its own, and what begins it comes before.
TEST_F(FirstIteration, TheFirstStepKeepsWhatItAloneDoes) {
    const TrackId thread = t.thread();
    t.op("aten::uniform_", 0, 900, thread);
    int64_t at = 1000;
    for (const char* name : {"Optimizer.zero_grad#SGD.zero_grad", "aten::to", "aten::linear"})
        t.op(name, at, 900, thread), at += 1000;
    for (int i = 0; i < 50; ++i, at += 1000)
        t.op("_compile.compile_inner", at, 900, thread);
    for (const char* name : {"aten::relu", "aten::mse_loss", "AddmmBackward0"})
        t.op(name, at, 900, thread), at += 1000;
    t.annotation("Optimizer.step#SGD.step", at, 900, thread);
    at += 2000;
    for (int i = 0; i < 3; ++i)
        at = add_step(t, at);
    EXPECT_EQ(found().list[0].begin_ns, 1000);
}

// Nor is the head of a first step lost whose forward has other names than those of the steps after it.
TEST_F(FirstIteration, AFirstStepOfOtherNamesBeginsWithTheFirstThing) {
    t.op("aten::uniform_", 0, 900);
    int64_t at = add_step(t, 1000, true);
    for (int i = 0; i < 3; ++i)
        at = add_step(t, at);
    EXPECT_EQ(found().list[0].begin_ns, 0);
}

TEST_F(FirstIteration, WhatCallsModulesOfItsOwnIsNotTakenForSetUp) {
    t.host(HostKind::kModule, "Stem", 0, 900, t.thread());
    t.op("aten::uniform_", 1000, 900);
    int64_t at = 2000;
    for (int i = 0; i < 3; ++i)
        at = add_step(t, at);
    EXPECT_EQ(found().list[0].begin_ns, 0);
}

}  // namespace
}  // namespace opsight::analyze
