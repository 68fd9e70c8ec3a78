// Who made the devices that worked, and what that maker calls their matrix units.
#pragma once

#include <cstdint>
#include <string>

#include "query/ask/report.h"
#include "query/session/session.h"

namespace opsight::query {

enum class Vendor : uint8_t { kUnknown, kNvidia, kAmd, kOther };

// Traces of ROCm leave names out, and tell a compute capability as those of CUDA do; but its warps are wider.
Vendor vendor_of(const std::string& name, int compute_major, int64_t warp_size);

// Whether all devices that ran kernels in the range are AMD's, whose matrix units are Matrix Cores.
Result<bool> has_matrix_cores(Session& session);
// A report for people speaks of those then, in its headers and notes.
void speak_of_matrix_cores(Report& report);

}  // namespace opsight::query
