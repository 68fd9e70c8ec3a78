// Streams summed up anew, for iterations that were cut anew, by the same rules as the analysis
// (analyze/streams.h).
#pragma once

#include "query/session/cut_range.h"
#include "query/session/session.h"

namespace opsight::query {

// Fills `table`, a temporary one with columns as in raw.stream_stats, with one row for each stream, which
// sums up the chosen iterations and names `iteration`. Cost: one pass over the kernels, copies and sets of
// the profile.
Status sum_stored_streams(Session& session, const ChosenIterations& chosen, int64_t iteration,
                          const std::string& table);

}  // namespace opsight::query
