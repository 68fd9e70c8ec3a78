// Device work from before the chosen range that its iterations had to wait for.
#pragma once

#include <string>

#include "query/session/session.h"

namespace opsight::query {

// One sentence where the device was still at work on what had been launched before the range, or most likely
// was on what had been launched before the recording, for more than a twentieth of the wall clock; else
// empty. Needs sel_wall. Cost: two passes over the launch times of the device spans, where there is such work
// a third one.
Result<std::string> backlog_of_range(Session& session);

// One sentence where the last iteration of a range that is not the whole run goes on after its own end for at
// least half of what others take, while the device finishes, and for a twentieth of the wall clock; else
// empty. Needs sel_iteration_times.
Result<std::string> tail_of_range(Session& session);

}  // namespace opsight::query
