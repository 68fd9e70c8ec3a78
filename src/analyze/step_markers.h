// Iterations by what the program or its framework marks as its steps ("ProfilerStep#5", "model_run#5").
#pragma once

#include <vector>

#include "analyze/iterations.h"
#include "model/profile.h"

namespace opsight::analyze {

// Spans of a class, with their tracks.
struct Marked {
    IterationCandidate span;
    TrackId track;
};

// None where nothing is marked. The description says which marks cut nothing, and why.
Iterations iterations_by_markers(const Profile& profile, const std::vector<Marked>& markers,
                                 const std::vector<IterationCandidate>& optimizer_steps);

}  // namespace opsight::analyze
