// Times on the profile's clock are int64 nanoseconds.
#pragma once

#include <cstdint>
#include <limits>

namespace opsight {

// Times beyond +-146 years from the epoch are refused: sums of two of them never overflow.
inline constexpr int64_t kMaxNs = std::numeric_limits<int64_t>::max() / 2;

}  // namespace opsight
