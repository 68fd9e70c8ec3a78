// Counters of the processor for one thread, by Linux' perf events: opened when the thread begins, read around
// its ops.
//
// Each group is one set of events that the kernel counts together. It is read from the pages that the kernel
// shares where all of them allow it (rdpmc: no system call), else by one read(). Events count the thread that
// opened them and no other: work that an op hands to other threads is not in them (inheritance would count
// what those threads do for anybody, and cannot be read as a group). Files are closed when the thread ends,
// and in a forked child all of them (kept_files.h); one that the program closed is never read again.
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "base/cpu_counters.h"
#include "wire/format.h"

namespace opsight::collect {

using wire::kNotCounted;

// What is asked of the system; tests have one of their own.
struct PerfCalls {
    int (*open)(const perf_event_attr& event, int leader);  // a file, or -errno
    bool (*enable)(int leader);                             // the whole group
    ssize_t (*read)(int file, void* to, size_t bytes);
    const perf_event_mmap_page* (*map)(int file);  // null where it cannot be
    void (*unmap)(const perf_event_mmap_page* page);
    void (*close)(int file);
    uint64_t (*pmc)(uint32_t register_number);
    uint64_t (*tsc)();
};
const PerfCalls& system_perf();

// The event of a counter; `user_only`: what the kernel does for the thread is left out.
perf_event_attr event_of(CpuCounter counter, bool user_only);
// Whether a counter is only true with the kernel's part.
constexpr bool needs_kernel(CpuCounter counter) {
    return counter == CpuCounter::kContextSwitches;
}

struct PageReading {
    uint64_t count = 0, enabled = 0, running = 0;
};
// By the protocol of linux/perf_event.h; false where the page does not allow it.
bool read_page(const perf_event_mmap_page& page, const PerfCalls& calls, PageReading& to);

class ThreadCounters {
  public:
    // Opens those of `wanted` (bits of slots) that can be; all else stays absent.
    void open(uint32_t wanted, const PerfCalls& calls = system_perf());
    void close();
    // In a forked child, whose pages are gone: forgets all.
    void forget() { mask_ = groups_used_ = 0; }

    // Bits of the slots that read() gives, in rising order; 0: none, and nothing is to be read.
    uint32_t mask() const { return mask_; }
    size_t slots() const { return static_cast<size_t>(__builtin_popcount(mask_)); }
    void read(uint64_t* to);

  private:
    static constexpr size_t kMostOfGroup = 4;
    static constexpr uint8_t kNoPlace = UINT8_MAX;
    struct Group {
        CounterGroup group;
        uint8_t count = 0;
        bool by_pages = false, broken = false;
        uint8_t place[kMostOfGroup];           // of its values among those that are read
        uint8_t enabled_place, running_place;  // kNoPlace: not among them
        int files[kMostOfGroup];
        const perf_event_mmap_page* pages[kMostOfGroup];
    };
    void open_group(CounterGroup group, uint32_t wanted);
    void find_places();
    bool read_pages(const Group& group, uint64_t* values, uint64_t& enabled, uint64_t& running) const;
    bool read_file(const Group& group, uint64_t* values, uint64_t& enabled, uint64_t& running) const;

    const PerfCalls* calls_ = nullptr;
    uint32_t mask_ = 0;
    size_t groups_used_ = 0;
    Group groups_[kCounterGroups];
};

// Whether a counter can be opened by this thread: 0, kOnlyUser (without the kernel's part), or -errno.
inline constexpr int kOnlyUser = 1;
int try_counter(CpuCounter counter, const PerfCalls& calls = system_perf());
// Why not, in words.
const char* why_no_counter(int problem);

}  // namespace opsight::collect
