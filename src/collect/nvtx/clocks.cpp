// Clocks of a program's own, on which it submits events later: what it tells of them is written down, and
// those that can be read are read beside ours. The import puts them together.
#include "collect/nvtx/schemas.h"
#include "collect/nvtx/session.h"

namespace opsight::nvtx {
namespace {

using wire::NvtxFact;

uint64_t now_ticks() {
    return wire::read_ticks(wire::best_clock());
}

void define_point(uint64_t first, uint64_t second, const wire::NvtxTimePoint& point) {
    define(NvtxFact::kTimePoint, 0, first, {reinterpret_cast<const char*>(&point), sizeof point}, second);
}

// A clock that we can read. Places are taken once, and never given back.
struct Timer {
    std::atomic<uint64_t> clock{0};  // 0: not filled in yet
    int64_t (*read)(void* data) = nullptr;
    void* data = nullptr;
    std::atomic<int64_t> read_ns{0};  // when it was read last, on CLOCK_MONOTONIC
    std::atomic<uint32_t> readings{0};
};
constexpr size_t kTimers = 64;
constexpr uint32_t kMostReadings = 1000;
constexpr int64_t kBetweenNs = 10'000'000;
Timer g_timers[kTimers];
std::atomic<size_t> g_timer_count{0};

void read_timer(Timer& timer) {
    const uint64_t before = now_ticks();
    const int64_t there = timer.read(timer.data);
    const uint64_t after = now_ticks();
    define_point(timer.clock.load(std::memory_order_relaxed), kToolClock,
                 {there, static_cast<int64_t>(before + (after - before) / 2), 0});
}

void add_timer(uint64_t clock, int64_t (*read)(void*), void* data) {
    if (!read || clock == 0) return;
    const size_t place = g_timer_count.load();
    for (size_t i = 0; i < std::min(place, kTimers); ++i)
        if (g_timers[i].clock.load(std::memory_order_acquire) == clock) return;
    const size_t own = g_timer_count.fetch_add(1);
    if (own >= kTimers) return;
    Timer& timer = g_timers[own];
    timer.read = read;
    timer.data = data;
    timer.readings = 1;
    timer.read_ns = wire::clock_ns(CLOCK_MONOTONIC);
    timer.clock.store(clock, std::memory_order_release);
    read_timer(timer);
}

// Of the system's clocks those that run at another rate than CLOCK_MONOTONIC.
int64_t read_system(void* clock) {
    return wire::clock_ns(reinterpret_cast<uintptr_t>(clock) == kRawClock ? CLOCK_MONOTONIC_RAW
                                                                          : CLOCK_BOOTTIME);
}
void follow_system_clock(uint64_t clock) {
    if (clock == kRawClock || clock == kBootClock)
        add_timer(clock, read_system, reinterpret_cast<void*>(static_cast<uintptr_t>(clock)));
}

int64_t read_plain(void* function) {
    return reinterpret_cast<int64_t (*)()>(function)();
}

// ---- calls

int64_t timestamp() {
    return static_cast<int64_t>(now_ticks());
}
uint64_t time_domain_register(const void* domain, const TimeDomainAttributes* from) {
    if (!from) return 0;
    const uint64_t id = from->id ? from->id : next_dynamic_id();
    const auto resolution = static_cast<uint64_t>(from->resolution > 0 ? from->resolution : 0);
    const wire::NvtxTimeDomain told{from->clock, from->scope, resolution};
    define(NvtxFact::kTimeDomain, domain_of(domain).number, id,
           {reinterpret_cast<const char*>(&told), sizeof told});
    follow_system_clock(from->clock);
    return id;
}
void timer_source(const void*, uint64_t clock, uint64_t, int64_t (*read)()) {
    if (read) add_timer(clock, read_plain, reinterpret_cast<void*>(read));
}
void timer_source_with_data(const void*, uint64_t clock, uint64_t, int64_t (*read)(void*), void* data) {
    add_timer(clock, read, data);
}
void sync_point(const void*, uint64_t first, uint64_t second, int64_t at_first, int64_t at_second) {
    define_point(first, second, {at_first, at_second, 0});
}
void sync_points(const void*, uint64_t first, uint64_t second, const SyncPoint* points, size_t count) {
    for (size_t i = 0; points && i < count; ++i)
        define_point(first, second, {points[i].first, points[i].second, 0});
}
void conversion_factor(const void*, uint64_t first, uint64_t second, double slope, int64_t at_first,
                       int64_t at_second) {
    define_point(first, second, {at_first, at_second, slope});
}

}  // namespace

uint64_t clock_of(const SemanticsHeader* semantics) {
    for (int i = 0; semantics && i < 8; ++i, semantics = semantics->next) {
        if (semantics->id != kTimeSemantics || semantics->struct_size < sizeof(TimeSemantics)) continue;
        const uint64_t clock = reinterpret_cast<const TimeSemantics*>(semantics)->domain;
        follow_system_clock(clock);
        return clock;
    }
    return 0;
}

void read_clocks() {
    const size_t count = std::min(g_timer_count.load(std::memory_order_acquire), kTimers);
    for (size_t i = 0; i < count; ++i) {
        Timer& timer = g_timers[i];
        if (timer.clock.load(std::memory_order_acquire) == 0) continue;
        const uint32_t readings = timer.readings.load();
        int64_t last = timer.read_ns.load();
        const int64_t now = wire::clock_ns(CLOCK_MONOTONIC);
        const bool due = readings < 2 || now - last >= kBetweenNs;
        if (!due || readings >= kMostReadings || !timer.read_ns.compare_exchange_strong(last, now)) continue;
        ++timer.readings;
        read_timer(timer);
    }
}

void fill_clocks(const ExtensionSegment& segment) {
    fill(segment, kTimestampGet, timestamp);
    fill(segment, kTimeDomainRegister, time_domain_register);
    fill(segment, kTimerSource, timer_source);
    fill(segment, kTimerSourceWithData, timer_source_with_data);
    fill(segment, kTimeSyncPoint, sync_point);
    fill(segment, kTimeSyncPointTable, sync_points);
    fill(segment, kTimestampConversionFactor, conversion_factor);
}

}  // namespace opsight::nvtx
