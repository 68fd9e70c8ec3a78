// Which optimizer steps end an iteration, where a training loop has several optimizers (GANs, per-layer
// optimizers).
#pragma once

#include <vector>

#include "analyze/iterations.h"

namespace opsight {

// Keeps of each rank's steps the last before each new batch where data loading is in the profile and some
// batch has several steps; else, where the steps have different names, those of the rarest name (of equally
// rare ones the last to come first): the slowest optimizer closes the cycle. Steps inside another step are
// left out.
std::vector<IterationCandidate> last_steps_of_cycles(std::vector<IterationCandidate> steps,
                                                     std::vector<IterationCandidate> loads);

}  // namespace opsight
