#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

int64_t repeated(TestProfile& t) {
    Profile profile = t.finish();
    (void)analyze(profile, {});
    return profile.diagnostics.count(Diag::kRepeatedWork);
}

TEST(RepeatedWork, WhatEqualsOtherWorkIsCounted) {
    TestProfile t;
    const TrackId stream = t.stream();
    for (int copy = 0; copy < 3; ++copy) {
        t.kernel("k", 10, 5, stream, 1);
        t.kernel("l", 10, 5, stream, 1);  // between them in the source's order
        t.kernel("k", 20, 5, stream, 2);
    }
    EXPECT_EQ(repeated(t), 6) << "each of three kernels twice more";
}

TEST(RepeatedWork, OtherWorkOfOneMomentIsNot) {
    TestProfile t;
    const TrackId stream = t.stream();
    t.kernel("k", 10, 5, stream, 1);
    t.kernel("k", 10, 6, stream, 1);  // of a graph: one call launches both
    t.kernel("k", 15, 5, stream, 1);
    t.kernel("k", 10, 5, stream, 2);
    t.kernel("l", 10, 5, stream, 1);
    t.kernel("k", 10, 5, t.stream(8), 1);
    t.kernel("k", 40, 0, stream, 3);
    t.kernel("k", 40, 0, stream, 3);  // takes no time: rounded, perhaps
    EXPECT_EQ(repeated(t), 0);
}

}  // namespace
}  // namespace opsight::analyze
