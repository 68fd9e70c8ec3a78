// Captures: which op (or annotation) was open when the node of a device graph was captured that a device span
// ran from. The host's only call at a replay is the launch of the whole graph, which tells nothing of that.
#pragma once

#include <vector>

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight {

// Beside Profile::device: the innermost op at the node's creation, else the innermost annotation there;
// invalid where the capture is not in the profile or nothing was open. Empty where no node's creation is
// recorded. Needs parent and op_span. Cost: logarithmic for each span of a graph.
std::vector<HostSpanId> find_captures(const Profile& profile, const Analysis& analysis);

}  // namespace opsight
