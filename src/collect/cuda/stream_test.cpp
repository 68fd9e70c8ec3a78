#include "collect/cuda/stream.h"

#include <gtest/gtest.h>

namespace opsight::cuda {
namespace {

constexpr uint64_t kLater = 1'000'000;  // more than a moment

TEST(CudaSpansTest, WorkOfCallsOfBeforeAndAfterIsLeftOutAsFarAsThatIsKnown) {
    Spans spans;
    EXPECT_FALSE(spans.may_launch(5, 100, 200)) << "nothing has begun";
    spans.open(1000);
    EXPECT_FALSE(spans.may_launch(5, 800, 999));
    EXPECT_TRUE(spans.may_launch(5, 900, 1000));
    spans.close(2000);
    EXPECT_TRUE(spans.may_launch(9, 5000, 6000)) << "no call after the end is known yet";
    spans.saw_call(8, 1900);
    spans.saw_call(9, 2001);  // a moment after the end: its number may have been given before
    EXPECT_TRUE(spans.may_launch(9, 5000, 6000));
    spans.saw_call(20, 2000 + kLater);
    spans.saw_call(15, 2000 + 2 * kLater);  // records of another thread come later
    EXPECT_TRUE(spans.may_launch(14, 5000, 6000));
    EXPECT_FALSE(spans.may_launch(15, 5000, 6000));
    EXPECT_FALSE(spans.may_launch(20, 0, 0));
    EXPECT_TRUE(spans.may_launch(14, 0, 0)) << "when it ran is not known";
}

TEST(CudaSpansTest, WorkThatNoCallLaunchedGoesByItsTime) {
    Spans spans;
    spans.open(1000);
    spans.close(2000);
    EXPECT_TRUE(spans.may_launch(0, 1500, 1600));
    EXPECT_FALSE(spans.may_launch(0, 2500, 2600));
}

TEST(CudaSpansTest, NumbersThatBeginAnew) {
    Spans spans;
    spans.open(1000);
    spans.close(2000);
    spans.saw_call(3, 2000 + kLater);
    EXPECT_TRUE(spans.may_launch(UINT32_MAX, 1500, 3000)) << "before the turn";
    EXPECT_FALSE(spans.may_launch(4, 1500, 3000));
    spans.saw_call(0x80000010, 2000 + 9 * kLater);  // far on: no number of before
    EXPECT_FALSE(spans.may_launch(4, 1500, 3000));
}

TEST(CudaSpansTest, TheLastOneIsTold) {
    Spans spans;
    EXPECT_FALSE(spans.is_open());
    spans.open(1000);
    EXPECT_TRUE(spans.is_open());
    EXPECT_EQ(spans.last_begin(), 1000u);
    spans.close(1500);
    spans.open(2000);
    EXPECT_FALSE(spans.any(1600, 1700));
    EXPECT_TRUE(spans.any(1400, 1450));
}

}  // namespace
}  // namespace opsight::cuda
