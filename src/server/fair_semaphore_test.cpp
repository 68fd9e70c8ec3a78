#include "server/fair_semaphore.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <vector>

namespace opsight::server {
namespace {

TEST(FairSemaphore, NoMoreWorkAtOnceThanMayAndAllGetTheirs) {
    FairSemaphore turns(2);
    std::atomic<int> working = 0, most = 0, done = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            for (int k = 0; k < 20; ++k) {
                const FairSemaphore::Permit turn(turns);
                const int now = ++working;
                for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
                }
                std::this_thread::sleep_for(std::chrono::microseconds(200));
                --working;
                ++done;
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(most, 2);
    EXPECT_EQ(done, 160);
}

TEST(FairSemaphore, WhoComesFirstIsServedFirst) {
    FairSemaphore turns(1);
    std::mutex mutex;
    std::vector<int> order;
    std::vector<std::thread> threads;
    {
        const FairSemaphore::Permit first(turns);
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] {
                const FairSemaphore::Permit turn(turns);
                const std::lock_guard lock(mutex);
                order.push_back(i);
            });
            while (turns.waiting() != static_cast<uint64_t>(i) + 1)
                std::this_thread::yield();
        }
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace opsight::server
