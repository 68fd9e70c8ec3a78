#include "collect/cuda/buffers.h"

#include <sys/mman.h>

#include <algorithm>

namespace opsight::cuda {
namespace {

class Lock {
  public:
    explicit Lock(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
    ~Lock() { pthread_mutex_unlock(&mutex_); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

  private:
    pthread_mutex_t& mutex_;
};

}  // namespace

void Buffers::set_limit(size_t bytes) {
    most_ = std::clamp<size_t>(bytes / kBytes, 2, kMost);
}

uint8_t* Buffers::take() {
    const Lock lock(mutex_);
    if (free_count_ > 0) return free_[--free_count_];
    void* made = MAP_FAILED;
    if (made_ < most_)
        made = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) {
        ++refused_;
        return nullptr;
    }
    ++made_;
    return static_cast<uint8_t*>(made);
}

void Buffers::give_back(uint8_t* buffer) {
    const Lock lock(mutex_);
    free_[free_count_++] = buffer;
}

uint64_t Buffers::refused() {
    const Lock lock(mutex_);
    const uint64_t count = refused_;
    refused_ = 0;
    return count;
}

void Buffers::reset_in_child() {
    const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    mutex_ = fresh;
}

}  // namespace opsight::cuda
