// Who made a device.
#pragma once

#include <cstdint>
#include <string>

namespace opsight::query {

enum class Vendor : uint8_t { kUnknown, kNvidia, kAmd, kOther };

// Traces of ROCm leave names out, and tell a compute capability as those of CUDA do; but its warps are wider.
Vendor vendor_of(const std::string& name, int compute_major, int64_t warp_size);

}  // namespace opsight::query
