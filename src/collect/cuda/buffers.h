// The buffers that CUPTI fills: a bounded pool. Where it is used up CUPTI gets none and drops records, which
// it counts, and so do we.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace opsight::cuda {

class Buffers {
  public:
    static constexpr size_t kBytes = 1 << 20;

    void set_limit(size_t bytes);
    // Null where the limit is reached.
    uint8_t* take();
    void give_back(uint8_t* buffer);
    // How often take() had to refuse since this was last asked.
    uint64_t refused();
    void reset_in_child();

  private:
    static constexpr size_t kMost = 1024;
    pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
    uint8_t* free_[kMost] = {};
    size_t free_count_ = 0, made_ = 0, most_ = 64;
    uint64_t refused_ = 0;
};

}  // namespace opsight::cuda
