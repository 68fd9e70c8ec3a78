#include "collect/counters.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "collect/kept_files.h"
#include "wire/clock.h"

namespace opsight::collect {
namespace {

int open_event(const perf_event_attr& event, int leader) {
    const long file = syscall(SYS_perf_event_open, &event, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
    return file < 0 ? -errno : keep_file(static_cast<int>(file));
}

bool enable_group(int leader) {
    return ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) == 0;
}

const perf_event_mmap_page* map_event(int file) {
    void* page = mmap(nullptr, static_cast<size_t>(sysconf(_SC_PAGESIZE)), PROT_READ, MAP_SHARED, file, 0);
    return page == MAP_FAILED ? nullptr : static_cast<const perf_event_mmap_page*>(page);
}

void unmap_event(const perf_event_mmap_page* page) {
    munmap(const_cast<perf_event_mmap_page*>(page), static_cast<size_t>(sysconf(_SC_PAGESIZE)));
}

uint64_t read_pmc([[maybe_unused]] uint32_t register_number) {
#if defined(__x86_64__)
    uint32_t low = 0, high = 0;
    asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(register_number));
    return uint64_t{high} << 32 | low;
#else
    return 0;  // pages are not used there
#endif
}

// A group begins to count as a whole: a member that comes to one at work counts only from when the thread is
// put on a processor again (seen with Linux 6.18).
perf_event_attr member_of(int leader, perf_event_attr event) {
    event.disabled = leader < 0;
    return event;
}

uint64_t read_tsc() {
    return wire::read_ticks(wire::ClockKind::kTsc);
}

constexpr uint64_t cache_event(uint64_t cache, uint64_t operation, uint64_t result) {
    return cache | operation << 8 | result << 16;
}

}  // namespace

const PerfCalls& system_perf() {
    static const PerfCalls calls = {
        .open = open_event,
        .enable = enable_group,
        .read = [](int file, void* to, size_t bytes) { return ::read(file, to, bytes); },
        .map = map_event,
        .unmap = unmap_event,
        .close = close_kept,
        .pmc = read_pmc,
        .tsc = read_tsc};
    return calls;
}

perf_event_attr event_of(CpuCounter counter, bool user_only) {
    struct Event {
        uint32_t type;
        uint64_t config;
    };
    constexpr uint64_t kRead = PERF_COUNT_HW_CACHE_OP_READ, kWrite = PERF_COUNT_HW_CACHE_OP_WRITE;
    constexpr uint64_t kAccess = PERF_COUNT_HW_CACHE_RESULT_ACCESS, kMiss = PERF_COUNT_HW_CACHE_RESULT_MISS;
    static constexpr Event kEvents[kCpuCounters] = {
        {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
        {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
        {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
        {PERF_TYPE_HW_CACHE, cache_event(PERF_COUNT_HW_CACHE_L1D, kRead, kAccess)},
        {PERF_TYPE_HW_CACHE, cache_event(PERF_COUNT_HW_CACHE_L1D, kRead, kMiss)},
        {PERF_TYPE_HW_CACHE, cache_event(PERF_COUNT_HW_CACHE_L1D, kWrite, kAccess)},
        {PERF_TYPE_HW_CACHE, cache_event(PERF_COUNT_HW_CACHE_LL, kRead, kAccess)},
        {PERF_TYPE_HW_CACHE, cache_event(PERF_COUNT_HW_CACHE_LL, kRead, kMiss)},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    };
    perf_event_attr event;
    std::memset(&event, 0, sizeof event);
    event.size = sizeof event;
    event.type = kEvents[static_cast<size_t>(counter)].type;
    event.config = kEvents[static_cast<size_t>(counter)].config;
    event.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    event.exclude_kernel = user_only;
    event.exclude_hv = 1;
    return event;
}

bool read_page(const perf_event_mmap_page& page, const PerfCalls& calls, PageReading& to) {
    constexpr int kTries = 16;  // the kernel changes a page only when the thread is switched
    const volatile uint32_t& lock = page.lock;
    for (int i = 0; i < kTries; ++i) {
        const uint32_t before = lock;
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (!page.cap_user_rdpmc || !page.cap_user_time || page.cap_user_time_short) return false;
        to = {static_cast<uint64_t>(page.offset), page.time_enabled, page.time_running};
        const uint64_t ticks = calls.tsc();
        const uint32_t index = page.index;
        const auto shift = page.time_shift;
        const uint64_t mask = (uint64_t{1} << shift) - 1;
        const uint64_t since = page.time_offset + (ticks >> shift) * page.time_mult +
                               (((ticks & mask) * page.time_mult) >> shift);
        if (index != 0) {
            const int unused = 64 - page.pmc_width;
            to.count += static_cast<uint64_t>(static_cast<int64_t>(calls.pmc(index - 1) << unused) >> unused);
            to.running += since;
        }
        to.enabled += since;
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (lock == before) return true;
    }
    return false;
}

void ThreadCounters::open(uint32_t wanted, const PerfCalls& calls) {
    calls_ = &calls;
    mask_ = 0;
    groups_used_ = 0;
    for (size_t group = 0; group < kCounterGroups; ++group)
        open_group(static_cast<CounterGroup>(group), wanted);
    find_places();
}

// Values stand in the order of their slots.
void ThreadCounters::find_places() {
    const auto place_of = [this](size_t slot) {
        return static_cast<uint8_t>(__builtin_popcount(mask_ & (slot_bit(slot) - 1)));
    };
    for (size_t i = 0; i < groups_used_; ++i) {
        Group& group = groups_[i];
        size_t member = 0;
        for (size_t slot = 0; slot < kCpuCounters; ++slot)
            if (mask_ & slot_bit(slot) && kCpuCounterFacts[slot].group == group.group)
                group.place[member++] = place_of(slot);
        const bool timed = group.group != CounterGroup::kSoftware;
        group.enabled_place = timed ? place_of(enabled_slot(group.group)) : kNoPlace;
        group.running_place = timed ? place_of(running_slot(group.group)) : kNoPlace;
    }
}

void ThreadCounters::open_group(CounterGroup group, uint32_t wanted) {
    Group& own = groups_[groups_used_];
    own = {};
    own.group = group;
    const bool software = group == CounterGroup::kSoftware;
    uint32_t opened = 0;
    for (size_t slot = 0; slot < kCpuCounters; ++slot) {
        if (!(wanted & slot_bit(slot)) || kCpuCounterFacts[slot].group != group) continue;
        const auto counter = static_cast<CpuCounter>(slot);
        const int leader = own.count > 0 ? own.files[0] : -1;
        // The processor's counters are of the program alone, on every machine; faults and switches are the
        // kernel's, where it lets us see them.
        int file = calls_->open(member_of(leader, event_of(counter, !software)), leader);
        if (software && (file == -EACCES || file == -EPERM) && !needs_kernel(counter))
            file = calls_->open(member_of(leader, event_of(counter, true)), leader);
        if (file < 0) continue;
        own.pages[own.count] = software ? nullptr : calls_->map(file);
        own.files[own.count++] = file;
        opened |= slot_bit(slot);
    }
    if (own.count == 0) return;
    own.broken = !calls_->enable(own.files[0]);
    own.by_pages = !software;
    for (size_t i = 0; i < own.count && own.by_pages; ++i) {
        PageReading ignored;
        own.by_pages = own.pages[i] && read_page(*own.pages[i], *calls_, ignored);
    }
    if (!software) opened |= slot_bit(enabled_slot(group)) | slot_bit(running_slot(group));
    mask_ |= opened;
    ++groups_used_;
}

void ThreadCounters::close() {
    for (size_t i = 0; i < groups_used_; ++i)
        for (size_t k = groups_[i].count; k-- > 0;) {
            if (groups_[i].pages[k]) calls_->unmap(groups_[i].pages[k]);
            calls_->close(groups_[i].files[k]);
        }
    forget();
}

bool ThreadCounters::read_pages(const Group& group, uint64_t* values, uint64_t& enabled,
                                uint64_t& running) const {
    for (size_t i = 0; i < group.count; ++i) {
        PageReading reading;
        if (!read_page(*group.pages[i], *calls_, reading)) return false;
        values[i] = reading.count;
        if (i > 0) continue;
        enabled = reading.enabled;
        running = reading.running;
    }
    return true;
}

bool ThreadCounters::read_file(const Group& group, uint64_t* values, uint64_t& enabled,
                               uint64_t& running) const {
    struct {
        uint64_t count, enabled, running, values[kMostOfGroup];
    } of_group;
    const size_t bytes = (3 + size_t{group.count}) * sizeof(uint64_t);
    if (calls_->read(group.files[0], &of_group, bytes) != static_cast<ssize_t>(bytes) ||
        of_group.count != group.count)
        return false;
    std::copy_n(of_group.values, group.count, values);
    enabled = of_group.enabled;
    running = of_group.running;
    return true;
}

void ThreadCounters::read(uint64_t* to) {
    const int kept_errno = errno;
    for (size_t i = 0; i < groups_used_; ++i) {
        Group& group = groups_[i];
        uint64_t values[kMostOfGroup], enabled = kNotCounted, running = kNotCounted;
        bool known = !group.broken && group.by_pages && read_pages(group, values, enabled, running);
        if (!known && !group.broken) known = read_file(group, values, enabled, running);
        // A file that cannot be read was closed by the program; its number may be another file's soon.
        group.broken = !known;
        for (size_t k = 0; k < group.count; ++k)
            to[group.place[k]] = known ? values[k] : kNotCounted;
        if (group.enabled_place == kNoPlace) continue;
        to[group.enabled_place] = known ? enabled : kNotCounted;
        to[group.running_place] = known ? running : kNotCounted;
    }
    errno = kept_errno;
}

int try_counter(CpuCounter counter, const PerfCalls& calls) {
    const bool software = kCpuCounterFacts[static_cast<size_t>(counter)].group == CounterGroup::kSoftware;
    bool only_user = !software;
    int file = calls.open(event_of(counter, only_user), -1);
    if (software && (file == -EACCES || file == -EPERM) && !needs_kernel(counter)) {
        only_user = true;
        file = calls.open(event_of(counter, only_user), -1);
    }
    if (file < 0) return file;
    calls.close(file);
    return only_user ? kOnlyUser : 0;
}

const char* why_no_counter(int problem) {
    switch (-problem) {
        case ENOENT:
        case EOPNOTSUPP:
        case ENODEV:
        case EINVAL:
            return "this machine has no such counter";
        case EACCES:
        case EPERM:
            return "the kernel does not permit it (kernel.perf_event_paranoid, a container's filter, or "
                   "CAP_PERFMON)";
        case ENOSYS:
            return "the kernel has no perf events";
        case EMFILE:
        case ENFILE:
            return "the program may open too few files";
        default:
            return "the kernel refuses it";
    }
}

}  // namespace opsight::collect
