// Clocks of programs: related by moments, factors, rates and chains of other clocks.
#include "import/nvtx/clocks.h"

#include <gtest/gtest.h>

namespace opsight::importer::nvtx {
namespace {

constexpr uint64_t kOwn = 1 << 24, kOther = kOwn + 1;

struct ProgramClocks : ::testing::Test {
    // Our ticks are 2 per ns.
    void SetUp() override {
        clocks.set_known([](uint64_t clock, int64_t value, int64_t& ns) {
            ns = value / 2;
            return clock == kToolClock;
        });
    }
    int64_t ns(uint64_t clock, int64_t value) {
        int64_t found = -1;
        return clocks.ns(clock, value, found) ? found : -1;
    }
    Clocks clocks;
};

TEST_F(ProgramClocks, TwoMomentsTellTheRate) {
    EXPECT_EQ(ns(kOwn, 100), -1);
    clocks.define_point(kOwn, kToolClock, {100, 2'000'000, 0});
    clocks.define_point(kOwn, kToolClock, {200, 6'000'000, 0});
    clocks.define_point(kOwn, kToolClock, {300, 6'000'000 + 20'000'000, 0});
    EXPECT_EQ(ns(kOwn, 100), 1'000'000);
    EXPECT_EQ(ns(kOwn, 150), 2'000'000);
    EXPECT_EQ(ns(kOwn, 250), 8'000'000);
    EXPECT_EQ(ns(kOwn, 400), 13'000'000 + 6'000'000);  // at the rate of all of it
    EXPECT_EQ(ns(kOwn, 0), 1'000'000 - 6'000'000);
    EXPECT_EQ(ns(kOwn, INT64_MAX), -1);
}

TEST_F(ProgramClocks, OneMomentAndARate) {
    clocks.define_point(kOwn, kToolClock, {100, 2'000'000, 0});
    EXPECT_EQ(ns(kOwn, 101), -1);
    Clocks resolved;
    resolved.set_known([](uint64_t clock, int64_t value, int64_t& found) {
        found = value;
        return clock == kToolClock;
    });
    resolved.define_point(kOwn, kToolClock, {100, 2'000'000, 0});
    resolved.define_domain(kOwn, {0, 77, 1000});  // 1 ms
    int64_t found = 0;
    ASSERT_TRUE(resolved.ns(kOwn, 103, found));
    EXPECT_EQ(found, 5'000'000);
    EXPECT_EQ(resolved.of_scope(77), kOwn);
    EXPECT_EQ(resolved.of_scope(0), 0u);
}

TEST_F(ProgramClocks, FactorsAndChains) {
    clocks.define_point(kOwn, kOther, {10, 1000, 0.5});  // half as fast as the other one
    clocks.define_point(kToolClock, kOther, {2'000'000, 1000, 0});
    clocks.define_point(kToolClock, kOther, {6'000'000, 2000, 0});
    EXPECT_EQ(ns(kOther, 1500), 2'000'000);
    EXPECT_EQ(ns(kOwn, 10), 1'000'000);
    EXPECT_EQ(ns(kOwn, 1010), 2'000'000);
}

TEST_F(ProgramClocks, ADomainMayNameAClockThatIsKnown) {
    clocks.define_domain(kOwn, {kToolClock, 0, 0});
    EXPECT_EQ(ns(kOwn, 200), 100);
    clocks.define_domain(kOther, {kOther, 0, 0});
    EXPECT_EQ(ns(kOther, 200), -1);
    clocks.define_point(kOther, kOther, {1, 1, 0});
    EXPECT_EQ(ns(kOther, 200), -1);
}

}  // namespace
}  // namespace opsight::importer::nvtx
