// The clocks of a trace: their times in ns of the trace's own (CLOCK_BOOTTIME).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace opsight::importer::perfetto {

inline constexpr uint32_t kRealtime = 1, kMonotonic = 3, kBoottime = 6;

class Clocks {
  public:
    // A ClockSnapshot of the sequence. False: it is damaged, or names no clock whose time is known.
    bool take(uint32_t sequence, std::string_view snapshot);
    // Empty: the time is out of range, or of a clock that no snapshot has named. What an incremental clock is
    // asked for counts from what it was asked for before.
    std::optional<int64_t> time(uint32_t sequence, uint32_t clock, uint64_t told);
    // Where the time of the trace is 0, in ns since 1970; empty: no snapshot tells.
    std::optional<int64_t> origin() const { return origin_; }

  private:
    struct Clock {
        int64_t then = 0, trace = 0;  // at the last snapshot: its own time in ns, and that of the trace
        int64_t unit = 1;             // ns
        bool incremental = false;
    };
    // Numbers below 64 are those of the system, and those from 128 on of all sequences.
    static std::pair<uint32_t, uint32_t> key(uint32_t sequence, uint32_t clock) {
        const bool own = clock >= 64 && clock < 128;
        return {own ? sequence : 0, clock};
    }

    absl::flat_hash_map<std::pair<uint32_t, uint32_t>, Clock> clocks_;
    std::optional<int64_t> origin_;
};

}  // namespace opsight::importer::perfetto
