// Whether the recordings of a profile can be the ranks of one job, by what they tell of themselves: a folder
// of traces that have nothing to do with each other reads like one job of many ranks otherwise.
#pragma once

#include "model/profile.h"

namespace opsight::analyze {

// Adds the diagnostic not_one_job, whose places say on what grounds, where they cannot. Of times whose clocks
// are aligned. Cost: linear in the spans.
void check_one_job(Profile& profile);

}  // namespace opsight::analyze
