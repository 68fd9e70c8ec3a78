// Recordings of one process, one after the other, as one rank.
#pragma once

#include "model/profile.h"

namespace opsight {

// Moves all times of a rank. They must stay within kMaxNs.
void shift_rank(Profile& profile, RankId rank, int64_t by);

// Makes rank `from` a later part of `into`: threads, devices and streams of the same numbers become one.
// Numbers that tie spans together (correlations, arrows) are moved where the process counted them anew.
void join_ranks(Profile& profile, RankId into, RankId from);

}  // namespace opsight
