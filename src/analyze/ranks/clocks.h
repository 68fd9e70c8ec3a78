// The clocks of ranks, from what their collectives prove.
//
// No collective ends on a member before the last member began it. Where recorded times say so of more than a
// few, the clocks differ, and one is corrected by the middle of the differences between ends, for members of
// such a collective end together; by a rate as well where that explains most of what is left. Clocks that
// nothing speaks against stay as they are. Ranks whose source names their host share that host's clock.
#pragma once

#include <cstdint>
#include <vector>

#include "model/profile.h"

namespace opsight::analyze {

// Of one rank. A corrected time is time + offset_ns + drift * time, of times before any correction.
struct RankClock {
    uint32_t clock = 0;  // ranks of one number share a clock
    bool corrected = false;
    int64_t offset_ns = 0;
    double drift = 0;
    int64_t error_ns = -1;  // at most so far from the clock that it was compared with; -1: nothing bounds it
    int64_t collectives = 0;                      // that it was compared by
    int64_t broken_before = 0, broken_after = 0;  // of them: ended before the last member began
};

// Beside Profile::ranks; nothing is corrected where no time is impossible. Cost: n log n in the collectives.
std::vector<RankClock> measure_clocks(const Profile& profile);

// The same of a profile whose times stay as they are.
std::vector<RankClock> uncorrected_clocks(const Profile& profile);

// Measures the clocks, and moves the times of ranks that are corrected. A profile without any stays as it is.
std::vector<RankClock> align_ranks(Profile& profile);

}  // namespace opsight::analyze
