// Permits to use the processor: as many may work at once as there are processors, the rest wait in the
// order in which they came. Work that only computes is done sooner so for everybody: threads that share a
// processor all end late, and put each other's memory out of its cache.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace opsight::server {

class FairSemaphore {
  public:
    explicit FairSemaphore(uint64_t at_once = std::max(std::thread::hardware_concurrency(), 1u))
        : at_once_(at_once) {}
    FairSemaphore(const FairSemaphore&) = delete;
    FairSemaphore& operator=(const FairSemaphore&) = delete;

    // Held while one works.
    class Permit {
      public:
        explicit Permit(FairSemaphore& semaphore) : semaphore_(semaphore) {
            std::unique_lock lock(semaphore_.mutex_);
            const uint64_t number = semaphore_.given_++;
            semaphore_.ended_changed_.wait(lock,
                                           [&] { return number < semaphore_.ended_ + semaphore_.at_once_; });
        }
        ~Permit() {
            {
                const std::lock_guard lock(semaphore_.mutex_);
                ++semaphore_.ended_;
            }
            semaphore_.ended_changed_.notify_all();
        }
        Permit(const Permit&) = delete;
        Permit& operator=(const Permit&) = delete;

      private:
        FairSemaphore& semaphore_;
    };

    uint64_t waiting() const {
        const std::lock_guard lock(mutex_);
        return given_ - std::min(given_, ended_ + at_once_);
    }

  private:
    const uint64_t at_once_;
    mutable std::mutex mutex_;
    std::condition_variable ended_changed_;
    uint64_t given_ = 0, ended_ = 0;
};

}  // namespace opsight::server
