#include "wire/clock.h"

#include <limits>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace opsight::wire {

ClockKind best_clock() {
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned kPowerLeaf = 0x80000007, kInvariantTsc = 1U << 8;
    if (__get_cpuid(kPowerLeaf, &a, &b, &c, &d) && (d & kInvariantTsc)) return ClockKind::kTsc;
#endif
    return ClockKind::kMonotonicNs;
}

ClockSnapshot take_snapshot(ClockKind kind) {
    ClockSnapshot best;
    best.error_ns = std::numeric_limits<int64_t>::max();
    for (int i = 0; i < 5; ++i) {
        ClockSnapshot now;
        const int64_t before = clock_ns(CLOCK_MONOTONIC);
        now.ticks = read_ticks(kind);
        const int64_t between = clock_ns(CLOCK_MONOTONIC);
        now.realtime_ns = clock_ns(CLOCK_REALTIME);
        const int64_t after = clock_ns(CLOCK_MONOTONIC);
        now.monotonic_ns = before + (between - before) / 2;
        now.realtime_ns -= (between + after) / 2 - now.monotonic_ns;
        now.error_ns = after - before;
        if (now.error_ns < best.error_ns) best = now;
    }
    return best;
}

}  // namespace opsight::wire
