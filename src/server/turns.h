// Turns at the processor: as many may work at once as there are processors, the rest wait in the order in
// which they came. Work that only computes is done sooner so for everybody: threads that share a processor
// all end late, and put each other's memory out of its cache.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace opsight::server {

class Turns {
  public:
    explicit Turns(uint64_t at_once = std::max(std::thread::hardware_concurrency(), 1u))
        : at_once_(at_once) {}
    Turns(const Turns&) = delete;
    Turns& operator=(const Turns&) = delete;

    // Held while one works.
    class Turn {
      public:
        explicit Turn(Turns& turns) : turns_(turns) {
            std::unique_lock lock(turns_.mutex_);
            const uint64_t number = turns_.given_++;
            turns_.ended_changed_.wait(lock, [&] { return number < turns_.ended_ + turns_.at_once_; });
        }
        ~Turn() {
            {
                const std::lock_guard lock(turns_.mutex_);
                ++turns_.ended_;
            }
            turns_.ended_changed_.notify_all();
        }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

      private:
        Turns& turns_;
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
