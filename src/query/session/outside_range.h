// What of a profile lies outside of the chosen range, in a line.
#pragma once

#include <string>

#include "query/session/session.h"

namespace opsight::query {

// "outside of the range lie 42.1 % of the device time (30 of 70 pieces of work), 36.0 % of the API
// time and 2 of 5 named ranges; --whole-run takes all in"; empty where nothing lies there. Shares of less
// than a thousandth are left out. Needs the relations of the session. Cost: sums over device work and API
// calls.
Result<std::string> outside_range(Session& session);

// Of a whole run, one sentence where its wall clock leaves out the profiler's own start and stop, or where
// system and library calls are recorded for more than a twentieth of the wall clock before or after it; else
// empty. Needs sel_wall and profiler_ends.
Result<std::string> beyond_wall_clock(Session& session);

}  // namespace opsight::query
