// Whether anybody still waits for an answer. When the client has gone away, its work ends soon, for others
// wait too.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <utility>

namespace opsight {

class CancellationToken {
  public:
    bool cancelled() const { return cancelled_; }
    // From any thread, also several times: an interrupt that falls between two statements is lost.
    void cancel() {
        cancelled_ = true;
        const std::lock_guard lock(mutex_);
        if (interrupt_) interrupt_();
    }
    // What ends the work that is under way; empty: none is. It is not called after this returns.
    void set_interrupt(std::function<void()> interrupt) {
        const std::lock_guard lock(mutex_);
        interrupt_ = std::move(interrupt);
    }

  private:
    std::atomic<bool> cancelled_ = false;
    std::mutex mutex_;
    std::function<void()> interrupt_;
};

}  // namespace opsight
