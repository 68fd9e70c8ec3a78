// What counters of the processor counted in ops themselves, without the ops that they called.
#pragma once

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// Beside Profile::op_counters. Takes Analysis::op_span. What a child's counters do not tell is not known of
// its parent either. Linear, but for a search (log n) for the parent of each op.
OpCounters self_counters(const Profile& profile, const Analysis& analysis);

}  // namespace opsight::analyze
