// TaskGroup: tasks on threads beside this one. What one of them throws (memory is short, for one) is thrown
// by join(), where the caller's own boundary catches it; a thread's function that throws would end the
// program. No other code of Opsight starts threads (scripts/check_boundaries.sh looks for that), but for the
// library in a CUDA program, which is built without exceptions.
#pragma once

#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace opsight {

class TaskGroup {
  public:
    TaskGroup() = default;
    TaskGroup(const TaskGroup&) = delete;
    TaskGroup& operator=(const TaskGroup&) = delete;
    // Waits for all; what `work` refers to must outlive this.
    ~TaskGroup() { wait(); }

    // On this thread where the system gives no other.
    template <class Work>
    void start(Work work) {
        auto guarded = [this, work = std::move(work)]() mutable { run(work); };
        if (!start_thread(guarded)) guarded();
    }
    // For what can be left out, or would keep this thread too long: where the system gives no other it is not
    // done, and this is false.
    template <class Work>
    bool start_beside(Work work) {
        return start_thread([this, work = std::move(work)]() mutable { run(work); });
    }

    // Waits for all of them, and throws what the first threw.
    void join() {
        wait();
        if (auto thrown = std::exchange(thrown_, nullptr)) std::rethrow_exception(thrown);
    }

  private:
    template <class Work>
    void run(Work& work) {
        try {
            work();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!thrown_) thrown_ = std::current_exception();
        }
    }
    template <class Guarded>
    bool start_thread(Guarded&& guarded) {
        threads_.reserve(threads_.size() + 1);
        try {
            threads_.emplace_back(std::forward<Guarded>(guarded));
        } catch (const std::system_error&) {
            return false;
        }
        return true;
    }
    void wait() {
        for (std::thread& thread : threads_)
            thread.join();
        threads_.clear();
    }
    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::exception_ptr thrown_;
};

}  // namespace opsight
