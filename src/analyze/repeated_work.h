// Device work that a source tells twice, as files that were put together by hand do.
#pragma once

#include "model/profile.h"

namespace opsight::analyze {

// Counts kRepeatedWork: spans of a device that equal another one in track, begin, duration, kind, name and
// correlation id, where they have such an id and take time. Cost: linear.
void count_repeated_work(Profile& profile);

}  // namespace opsight::analyze
