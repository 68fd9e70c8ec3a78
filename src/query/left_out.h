// What the chosen range does not hold: the work before, between and after its iterations.
#pragma once

#include <string>

#include "query/session.h"

namespace opsight {

// One sentence; empty where the range holds all work, or lacks less than a thousandth of it. `asked`: the
// first or last iteration was asked for, so only what no iteration holds needs a word. Needs the relations of
// the session. Cost: one pass over the device spans.
Result<std::string> left_out_by_range(Session& session, bool asked);

}  // namespace opsight
