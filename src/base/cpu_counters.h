// The counters of processors that are read around ops: how captures, profiles and options name them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace opsight {

enum class CpuCounter : uint8_t {
    kTaskClock,  // ns that the thread was on a CPU
    kPageFaults,
    kContextSwitches,
    kCycles,
    kInstructions,
    kStalledFrontend,
    kStalledBackend,
    kL1Loads,  // of the data cache
    kL1LoadMisses,
    kL1Stores,
    kLlcLoads,
    kLlcLoadMisses,
    kBranches,
    kBranchMisses,
    kCount
};
inline constexpr size_t kCpuCounters = static_cast<size_t>(CpuCounter::kCount);

// Counters that are read together: of one group all were counted at the same time. The kernel counts software
// events always; the groups of the processor's own take turns where it has too few registers for all.
enum class CounterGroup : uint8_t { kSoftware, kCore, kL1, kLlc, kBranches, kCount };
inline constexpr size_t kCounterGroups = static_cast<size_t>(CounterGroup::kCount);

struct CpuCounterFacts {
    std::string_view name;
    CounterGroup group;
};
inline constexpr CpuCounterFacts kCpuCounterFacts[kCpuCounters] = {
    {"task_clock_ns", CounterGroup::kSoftware},
    {"page_faults", CounterGroup::kSoftware},
    {"context_switches", CounterGroup::kSoftware},
    {"cycles", CounterGroup::kCore},
    {"instructions", CounterGroup::kCore},
    {"stalled_frontend_cycles", CounterGroup::kCore},
    {"stalled_backend_cycles", CounterGroup::kCore},
    {"l1_loads", CounterGroup::kL1},
    {"l1_load_misses", CounterGroup::kL1},
    {"l1_stores", CounterGroup::kL1},
    {"llc_loads", CounterGroup::kLlc},
    {"llc_load_misses", CounterGroup::kLlc},
    {"branches", CounterGroup::kBranches},
    {"branch_misses", CounterGroup::kBranches},
};

// What one reading can hold: the counters, and of each group that may take turns how long it was to count
// ("enabled") and how long it did ("running"), in ns. What was not counted for a part of the time is counts ×
// enabled / running.
inline constexpr size_t kCounterSlots = kCpuCounters + 2 * (kCounterGroups - 1);
constexpr size_t enabled_slot(CounterGroup group) {
    return kCpuCounters + 2 * (static_cast<size_t>(group) - 1);
}
constexpr size_t running_slot(CounterGroup group) {
    return enabled_slot(group) + 1;
}
constexpr uint32_t slot_bit(size_t slot) {
    return uint32_t{1} << slot;
}
inline constexpr uint32_t kAllCounters = slot_bit(kCpuCounters) - 1;
inline constexpr uint32_t kAllSlots = slot_bit(kCounterSlots) - 1;
static_assert(kCounterSlots < 32);

}  // namespace opsight
