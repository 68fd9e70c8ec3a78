#include "base/percent.h"

#include <fmt/format.h>

#include <cmath>

namespace opsight {

std::string percent_digits(double percent) {
    if (percent != 0 && std::fabs(percent) < 0.05) return percent > 0 ? "<0.1" : ">-0.1";
    if (percent < 100 && percent >= 99.95) return ">99.9";
    return fmt::format("{:.1f}", percent);
}

}  // namespace opsight
