#include "base/task_group.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>

namespace opsight {
namespace {

TEST(TaskGroup, AllWorkIsDoneBeforeJoinReturns) {
    std::atomic<int> done{0};
    TaskGroup tasks;
    for (int i = 0; i < 4; ++i)
        tasks.start([&] { ++done; });
    tasks.join();
    EXPECT_EQ(done, 4);
}

TEST(TaskGroup, WhatOneThrowsIsThrownHereAndTheOthersEnd) {
    std::atomic<int> done{0};
    TaskGroup tasks;
    tasks.start([] { throw std::bad_alloc(); });
    tasks.start([&] { ++done; });
    EXPECT_THROW(tasks.join(), std::bad_alloc);
    EXPECT_EQ(done, 1);
    tasks.join();  // told once
}

TEST(TaskGroup, WhatIsDoneBesideIsNeverDoneHere) {
    std::thread::id where;
    TaskGroup tasks;
    EXPECT_TRUE(tasks.start_beside([&] { where = std::this_thread::get_id(); }));
    tasks.join();
    EXPECT_NE(where, std::thread::id());
    EXPECT_NE(where, std::this_thread::get_id());
    tasks.start_beside([] { throw std::runtime_error("beside"); });
    EXPECT_THROW(tasks.join(), std::runtime_error);
    TaskGroup left;
    left.start_beside([] { throw std::runtime_error("nobody asks"); });
}

TEST(TaskGroup, WhatThisThreadThrowsGoesOnAfterAllHaveEnded) {
    std::atomic<int> done{0};
    try {
        TaskGroup tasks;
        tasks.start([&] { ++done; });
        throw std::runtime_error("here");
    } catch (const std::runtime_error&) {
        EXPECT_EQ(done, 1);
    }
}

}  // namespace
}  // namespace opsight
