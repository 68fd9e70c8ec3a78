// The relations rank_times and scored_times of a session: each rank's iterations with what they waited for in
// collectives.
#pragma once

#include "query/session/session.h"

namespace opsight::query {

// Cost: one pass over the stored segments of time, and the calls of collectives.
Status prepare_rank_times(Session& session);

}  // namespace opsight::query
