// The collector's clock: the time stamp counter where it runs at a constant rate on every core, else
// CLOCK_MONOTONIC. A reading costs 10 to 25 ns.
#pragma once

#include <cstdint>
#include <ctime>

#include "wire/format.h"
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace opsight::wire {

inline int64_t clock_ns(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// The clock that this machine allows.
ClockKind best_clock();

inline uint64_t read_ticks(ClockKind kind) {
#if defined(__x86_64__)
    if (kind == ClockKind::kTsc) return __rdtsc();
#endif
    return static_cast<uint64_t>(clock_ns(CLOCK_MONOTONIC));
}

// Reads all clocks as close together as a few tries allow.
ClockSnapshot take_snapshot(ClockKind kind);

}  // namespace opsight::wire
