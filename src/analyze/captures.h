// Captures: which op (or annotation) was open when the node of a device graph was captured that a device span
// ran from. The host's only call at a replay is the launch of the whole graph, which tells nothing of that.
#pragma once

#include <vector>

#include "analyze/graph_captures.h"
#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// Beside Profile::device. Both are empty where no capture is known.
struct Captures {
    // The innermost op at the node's creation, else the innermost annotation there, else the call that
    // created it; invalid where the capture is not in the profile or nothing was open.
    std::vector<HostSpanId> here;
    std::vector<int32_t> elsewhere;  // of CapturedGraphs::ops; -1: no capture of that kind
    HostSpanId at(size_t span) const { return here.empty() ? HostSpanId() : here[span]; }
};

// By the node of a span, where the source tells its creation; else by the work of the whole launch, which is
// that of a capture in the profile before it, or of one of `other` (may be null). Counts in the profile's
// diagnostics which launches were joined, and why not. `directions`: of host spans. Needs parent, op_span,
// layer and launch. Cost: logarithmic for each span of a graph.
Captures find_captures(Profile& profile, const Analysis& analysis, const std::vector<Direction>& directions,
                       const CapturedGraphs* other = nullptr);

}  // namespace opsight::analyze
