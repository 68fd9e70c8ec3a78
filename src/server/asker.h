// Who waits for an answer. When he goes away, what is worked out for him ends soon, for others wait too.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <utility>

namespace opsight::server {

class Asker {
  public:
    bool gone() const { return gone_; }
    // From any thread, also several times: an interrupt that falls between two statements is lost.
    void leave() {
        gone_ = true;
        const std::lock_guard lock(mutex_);
        if (interrupt_) interrupt_();
    }
    // What ends the work that is done for him; empty: none is. It is not called after this returns.
    void set_interrupt(std::function<void()> interrupt) {
        const std::lock_guard lock(mutex_);
        interrupt_ = std::move(interrupt);
    }

  private:
    std::atomic<bool> gone_ = false;
    std::mutex mutex_;
    std::function<void()> interrupt_;
};

}  // namespace opsight::server
