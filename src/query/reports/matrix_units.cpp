#include "query/reports/matrix_units.h"

#include <optional>

#include "hardware/devices.h"
#include "hardware/tensor_cores.h"

namespace opsight::query {
Vendor vendor_of(const std::string& name, int compute_major, int64_t warp_size) {
    constexpr int64_t kWavefront = 64;
    if (hardware::is_amd(name) || warp_size == kWavefront) return Vendor::kAmd;
    if (compute_major > 0) return Vendor::kNvidia;
    const std::optional<bool> nvidia = hardware::has_known_kernels(name, compute_major);
    if (!nvidia) return Vendor::kUnknown;
    return *nvidia ? Vendor::kNvidia : Vendor::kOther;
}

}  // namespace opsight::query
