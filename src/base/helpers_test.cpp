#include "base/helpers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>

namespace opsight {
namespace {

TEST(Helpers, AllWorkIsDoneBeforeJoinReturns) {
    std::atomic<int> done{0};
    Helpers helpers;
    for (int i = 0; i < 4; ++i)
        helpers.start([&] { ++done; });
    helpers.join();
    EXPECT_EQ(done, 4);
}

TEST(Helpers, WhatOneThrowsIsThrownHereAndTheOthersEnd) {
    std::atomic<int> done{0};
    Helpers helpers;
    helpers.start([] { throw std::bad_alloc(); });
    helpers.start([&] { ++done; });
    EXPECT_THROW(helpers.join(), std::bad_alloc);
    EXPECT_EQ(done, 1);
    helpers.join();  // told once
}

TEST(Helpers, WhatThisThreadThrowsGoesOnAfterAllHaveEnded) {
    std::atomic<int> done{0};
    try {
        Helpers helpers;
        helpers.start([&] { ++done; });
        throw std::runtime_error("here");
    } catch (const std::runtime_error&) {
        EXPECT_EQ(done, 1);
    }
}

}  // namespace
}  // namespace opsight
