// What ranges of NCCL tell of the kernels launched in them: older traces of PyTorch do not describe
// collectives.
#pragma once

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// Gives a communication kernel that nothing describes the collective of the range around its launch, where
// that range tells what it moves and launched no other such kernel. Needs parent, launch and kernel. Cost:
// linear.
void take_collectives_of_ranges(Profile& profile, const Analysis& analysis);

}  // namespace opsight::analyze
