// Iterations inferred from what repeats: launched kernels, or (with few kernels) the outermost ops of the
// busiest thread. An iteration begins with an outermost op, module call or range of the program, never inside
// one, nor inside one API call (a graph launch) or one graph capture; and where there is backward work, each
// has some. So the layers of one pass are not taken for iterations where anything tells them apart
// (period.h). Only a range around repetitions with backward work is passed over: no network trains in each of
// its layers.
#pragma once

#include "analyze/iterations.h"
#include "model/profile.h"

namespace opsight::analyze {

// Empty where nothing repeats well enough. Needs parent, op_span, op, launch, host_ns and kernel.
Iterations infer_iterations(const Profile& profile, const Analysis& analysis);

}  // namespace opsight::analyze
