// What of a profile lies outside of the chosen range, in a line.
#pragma once

#include <string>

#include "query/session.h"

namespace opsight {

// "outside of the range lie 42.1 % of the device time, 36.0 % of the API time and 2 of 5 named ranges"; empty
// where nothing lies there. Cost: sums over device work and API calls.
Result<std::string> outside_range(Session& session);

}  // namespace opsight
