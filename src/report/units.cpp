#include "report/units.h"

#include <fmt/format.h>

#include <cmath>

namespace opsight::report {

Scale scale_for(query::Unit unit, double largest) {
    const double size = std::fabs(largest);
    switch (unit) {
        case query::Unit::kNs:
            if (size >= 1e9) return {1e9, "s", 3};
            if (size >= 1e6) return {1e6, "ms", 3};
            if (size >= 1e3) return {1e3, "us", 3};
            return {1, "ns", 0};
        case query::Unit::kBytes:
            if (size >= 1024.0 * 1024 * 1024) return {1024.0 * 1024 * 1024, "GiB", 2};
            if (size >= 1024.0 * 1024) return {1024.0 * 1024, "MiB", 2};
            if (size >= 1024) return {1024, "KiB", 2};
            return {1, "B", 0};
        case query::Unit::kPercent:
            return {1, "%", 1};
        case query::Unit::kFlops:
            if (size >= 1e12) return {1e12, "T", 3};
            if (size >= 1e9) return {1e9, "G", 3};
            if (size >= 1e6) return {1e6, "M", 3};
            if (size >= 1e3) return {1e3, "k", 3};
            return {1, "1", 0};  // "FLOPs (1)"
        case query::Unit::kCount:
        case query::Unit::kNone:
            return {1, "", 0};
    }
    return {};
}

std::string human(query::Unit unit, double value) {
    const Scale scale = scale_for(unit, value);
    std::string text = fmt::format("{:.{}f}", value / scale.divisor, scale.decimals);
    const bool bare = unit == query::Unit::kFlops && scale.divisor == 1;  // "0", not "0 1"
    if (*scale.suffix && !bare) text += fmt::format(" {}", scale.suffix);
    return text;
}

}  // namespace opsight::report
