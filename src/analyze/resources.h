// Resources: what each rank's time went to, moment by moment; when each device was busy; and when
// communication ran, with or without computing beside it.
//
// At each moment the first that applies counts: Tensor Core kernel, other kernel, communication kernel, copy
// or set, data loading, file I/O, CPU op or API call, other. Kernels of which it is not known whether they
// use Tensor Cores count as other kernels. Annotations, Python frames and modules are no work of the CPU by
// themselves.
#pragma once

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight {

// Fills resources, busy and communication; needs kernel and kernels. `directions`: of every host span.
// Cost: linear in the spans, times the number of streams of a device.
void share_resources(const Profile& profile, Analysis& analysis, const std::vector<Direction>& directions);

}  // namespace opsight
