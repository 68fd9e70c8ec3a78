// Resources: what each rank's time went to, moment by moment; when each device was busy; and when
// communication ran, with or without computing beside it.
//
// At each moment the first that applies counts: Tensor Core kernel, kernel of which that is not known (graphs
// recorded as a whole are such, too), other kernel, communication kernel, copy or set, data loading, file
// I/O, CPU op or API call, the program on the host otherwise (Python frames, modules, ranges, calls of
// libraries), nothing. A thread that is seen to wait in such a frame or range does nothing.
#pragma once

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// Fills resources, busy and communication; needs kernel and kernels. `directions`: of every host span.
// Cost: linear in the spans, times the number of streams of a device.
void share_resources(const Profile& profile, Analysis& analysis, const std::vector<Direction>& directions);

}  // namespace opsight::analyze
