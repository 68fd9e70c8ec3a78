// Launches whose device work is not in the profile: a device that looks idle may only not have been recorded.
#pragma once

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// Counts kLostDeviceWork, and of the same calls apart (kWorkBehindEnd) those that a device which lags behind
// and works until the recording ends had not come to: calls of CUDA and HIP that launch kernels or graphs,
// succeeded as far as is told, began in no capture of a graph by their rank, and launched nothing that is in
// the profile. Needs parent and launch. Cost: linear.
void count_lost_work(Profile& profile, const Analysis& analysis);

}  // namespace opsight::analyze
