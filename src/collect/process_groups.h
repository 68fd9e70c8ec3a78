// Process groups of torch.distributed, known by the address of their C++ object: an op of theirs has it among
// its inputs. Python's part tells them as they are made (python/opsight/groups.py). Nothing is ever read at
// such an address, so one that is wrong costs the group's name and no more.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace opsight::collect {

class ProcessGroups {
  public:
    // A group that is made where another one was takes its place. More than there is room for are not known.
    static void add(const void* group, uint64_t number) {
        const size_t at = count_.load(std::memory_order_relaxed);
        if (at == kMost) return;
        numbers_[at] = number;
        groups_[at] = group;
        count_.store(at + 1, std::memory_order_release);
    }
    // 0: not known.
    static uint64_t number_of(const void* group) {
        for (size_t at = count_.load(std::memory_order_acquire); at > 0; --at)
            if (groups_[at - 1] == group) return numbers_[at - 1];
        return 0;
    }

  private:
    static constexpr size_t kMost = 1024;
    static inline std::atomic<size_t> count_{0};
    static inline const void* groups_[kMost];
    static inline uint64_t numbers_[kMost];
};

}  // namespace opsight::collect
