// Marks of device work that tables are summed by, and the device that an op worked on.
#pragma once

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// Of device_flags, beside those of Analysis: a kernel that by its name could not use Tensor Cores in any op.
inline constexpr uint8_t kHoldsNoProduct = 32;

// Fills device_flags and OpWork::device; needs ops, op, op_span, launch, launch_op, device_op and op_work.
// Cost: linear, for what encloses an op is passed over once it is known to have several devices.
void mark_device_work(const Profile& profile, Analysis& analysis);

}  // namespace opsight::analyze
