// Loops that launch one graph again and again: what the kernels do not show, since one launch is all there
// is.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// What a thread did from the first round of such a loop to its last: its ops and calls in no other op or
// call, in the order of time. What stands before the first launch and behind the last counts as far as it
// comes in the round between two launches as well.
struct GraphCycle {
    std::vector<uint32_t> rows;  // host rows; empty: there is none
    std::vector<bool> launches;  // beside rows: whether it launches the graph
    double share = 0;            // of the rank's device work, by time, what was launched in it
};

// Of each rank, of the graph that is launched most often. Needs parent, op_span, launch, host_ns and kernel.
std::vector<GraphCycle> find_graph_cycles(const Profile& profile, const Analysis& analysis);

}  // namespace opsight::analyze
