// Time on the profile clock. Columns hold plain int64 nanoseconds; Ns is for single values that cross an
// interface.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string_view>

namespace opsight {

struct Ns {
    int64_t value = 0;
    friend constexpr auto operator<=>(Ns, Ns) = default;
    friend constexpr Ns operator+(Ns a, Ns b) { return {a.value + b.value}; }
    friend constexpr Ns operator-(Ns a, Ns b) { return {a.value - b.value}; }
};

// Times beyond +-146 years from the epoch are refused: sums of two of them never overflow.
inline constexpr int64_t kMaxNs = std::numeric_limits<int64_t>::max() / 2;

}  // namespace opsight
