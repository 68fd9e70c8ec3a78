// From ticks of a capture's clock to nanoseconds: straight lines between its clock readings.
#pragma once

#include <vector>

#include "wire/format.h"

namespace opsight::importer::capture {

class TickClock {
  public:
    // `readings` in any order, at least one. `ns_per_tick`: for a capture with a single reading.
    TickClock(std::vector<wire::ClockSnapshot> readings, double ns_per_tick);

    // Nanoseconds of CLOCK_MONOTONIC; false where `ticks` is years away from every reading.
    bool monotonic_ns(uint64_t ticks, int64_t& ns) const;
    // Rate between the first and the last reading; 0 where they are too close to tell.
    double ns_per_tick() const { return rate_; }

  private:
    struct Piece {
        uint64_t ticks;
        int64_t ns;
        double rate;  // of the stretch that begins here
    };
    std::vector<Piece> pieces_;
    double rate_ = 0;
};

}  // namespace opsight::importer::capture
