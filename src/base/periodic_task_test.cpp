#include "base/periodic_task.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <thread>

namespace opsight {
namespace {

TEST(PeriodicTask, IsDoneAgainAndAgainAndOnceMoreAtTheEnd) {
    std::atomic<int> done{0};
    PeriodicTask task(1e-3, [&] { ++done; });
    while (done < 3)
        std::this_thread::yield();
    task.stop();
    const int then = done;
    EXPECT_GE(then, 4);
    task.stop();  // has ended
    EXPECT_EQ(done, then);
}

TEST(PeriodicTask, TheLastTimeComesAlsoBeforeTheFirst) {
    int done = 0;
    {
        const PeriodicTask task(3600, [&] { ++done; });
    }
    EXPECT_EQ(done, 1);
}

TEST(PeriodicTask, WhatItThrowsIsThrownAtItsEndAndItGoesOn) {
    std::atomic<int> done{0};
    PeriodicTask task(1e-3, [&] {
        if (++done == 2) throw std::runtime_error("first");
        if (done == 3) throw std::bad_alloc();
    });
    while (done < 5)
        std::this_thread::yield();
    EXPECT_THROW(task.stop(), std::runtime_error);
    task.stop();  // told once
}

TEST(PeriodicTask, ADestructorThrowsNothing) {
    int done = 0;
    {
        const PeriodicTask task(3600, [&] {
            ++done;
            throw std::bad_alloc();
        });
    }
    EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace opsight
