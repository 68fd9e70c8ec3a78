#include "base/percent.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace opsight {

std::string fixed(double value, int decimals) {
    const bool half = std::fmod(std::ldexp(std::fabs(value), decimals + 1), 2) == 1;
    if (half) value = std::nextafter(value, std::copysign(std::numeric_limits<double>::infinity(), value));
    return fmt::format("{:.{}f}", value, decimals);
}

std::string percent_digits(double percent) {
    if (percent != 0 && std::fabs(percent) < 0.05) return percent > 0 ? "<0.1" : ">-0.1";
    if (percent < 100 && percent >= 99.95) return ">99.9";
    return fixed(percent, 1);
}

}  // namespace opsight
