// PeriodicTask: work that is done again and again beside this thread, and a last time when it ends.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>

#include "base/task_group.h"

namespace opsight {

class PeriodicTask {
  public:
    // Where the system gives no thread, only the last time comes.
    PeriodicTask(double every_s, std::function<void()> work) : every_s_(every_s), work_(std::move(work)) {
        thread_.start_beside([this] { repeat(); });
    }
    PeriodicTask(const PeriodicTask&) = delete;
    PeriodicTask& operator=(const PeriodicTask&) = delete;
    ~PeriodicTask() { end(); }

    // Ends it, and throws what it first threw, if anything: what is done later was done all the same.
    void stop() {
        end();
        if (auto thrown = std::exchange(thrown_, nullptr)) std::rethrow_exception(thrown);
    }

  private:
    void repeat() {
        std::unique_lock lock(mutex_);
        while (!wake_.wait_for(lock, std::chrono::duration<double>(every_s_), [this] { return over_; }))
            once();
    }
    void once() {
        try {
            work_();
        } catch (...) {
            if (!thrown_) thrown_ = std::current_exception();
        }
    }
    void end() {
        {
            const std::lock_guard lock(mutex_);
            if (std::exchange(over_, true)) return;
        }
        wake_.notify_one();
        thread_.join();
        once();
    }

    const double every_s_;
    const std::function<void()> work_;
    std::exception_ptr thrown_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool over_ = false;
    TaskGroup thread_;
};

}  // namespace opsight
