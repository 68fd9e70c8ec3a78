// Iterations by optimizer steps are known by their ends alone. What a program sets up before its first step
// (values of weights, data) is no part of the first one.
#pragma once

#include <vector>

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// Begins the first iteration of each rank with the first of its outermost spans that the iterations after it
// have too, as often in each of most of them. It stays as it is where too little comes again, or where what
// would be left out calls modules that no other iteration calls. Linear.
void leave_set_up_out(const Profile& profile, std::vector<Iteration>& iterations);

}  // namespace opsight::analyze
