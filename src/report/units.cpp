#include "report/units.h"
#include "base/percent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace opsight::report {
namespace {

struct Step {
    double factor;
    const char* suffix;
};

constexpr Step kTimes[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}};
constexpr Step kSizes[] = {{0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}};
constexpr Step kAmounts[] = {{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};

// The steps of a unit, the largest first; the suffix and the decimals where a value is below all of them.
struct Scale {
    std::span<const Step> steps;
    const char* suffix = "";
    int decimals = 3;  // of what is not brief
};

Scale scale_of(query::Unit unit) {
    switch (unit) {
        case query::Unit::kNs:
            return {kTimes, " ns"};
        case query::Unit::kBytes:
            return {kSizes, " B", 2};
        case query::Unit::kFlops:
            return {kAmounts};
        case query::Unit::kBytesPerSecond:  // as the bytes of one
        case query::Unit::kPercent:
        case query::Unit::kCount:
        case query::Unit::kNone:
            break;
    }
    return {};
}

// "1,234 s" for "1234 s", decimals left alone.
std::string grouped(std::string text) {
    const size_t first = text.starts_with('-') ? 1 : 0;
    for (size_t at = std::min(text.find_first_not_of("0123456789", first), text.size()); at > first + 3;
         at -= 3)
        text.insert(at - 3, 1, ',');
    return text;
}

// 1.23, 12.3, 123. The bounds are where rounding would show a figure more.
std::string figures(double value) {
    const double size = std::fabs(value);
    return fixed(value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

bool whole(double value) {
    return value == std::floor(value);
}

// What is below the first step of its unit: a whole number stays whole, a mean keeps two places.
std::string plain(double value) {
    return fixed(value, whole(value) ? 0 : 2);
}

template <class Digits>
std::string scaled(query::Unit unit, double value, Digits&& digits) {
    if (unit == query::Unit::kPercent) return fmt::format("{}%", percent_digits(value));
    if (unit == query::Unit::kBytesPerSecond) return scaled(query::Unit::kBytes, value, digits) + "/s";
    const Scale scale = scale_of(unit);
    if (scale.steps.empty() && !whole(value)) return digits(value, 2);
    for (const Step& step : scale.steps)
        if (std::fabs(value) >= step.factor * 0.9995)
            return fmt::format("{} {}", digits(value / step.factor, scale.decimals), step.suffix);
    return plain(value) + scale.suffix;
}

}  // namespace

std::string brief(query::Unit unit, double value) {
    const std::string text = scaled(unit, value, [](double number, int) { return figures(number); });
    return unit == query::Unit::kPercent ? text : grouped(text);
}

std::string human(query::Unit unit, double value) {
    return scaled(unit, value, fixed);
}

std::string moment(double ns) {
    return grouped(fixed(ns / 1e6, 6)) + " ms";
}

std::string header_without_unit(const query::Column& column) {
    if (column.unit == query::Unit::kNone || column.unit == query::Unit::kCount) return column.header;
    return column.header.substr(0, column.header.rfind(" ("));
}

std::string percent_digits(double percent) {
    return opsight::percent_digits(percent);
}

}  // namespace opsight::report
