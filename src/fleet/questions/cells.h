// What the cells of an answer hold; a store is input, so any may be of another type.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "base/sql.h"

namespace opsight::fleet {

inline std::string text(const duck::Cell& cell) {
    const auto* value = std::get_if<std::string>(&cell);
    return value ? *value : std::string();
}
inline std::optional<double> real(const duck::Cell& cell) {
    if (const auto* value = std::get_if<double>(&cell))
        return std::isfinite(*value) ? std::optional<double>(*value) : std::nullopt;
    if (const auto* value = std::get_if<int64_t>(&cell)) return static_cast<double>(*value);
    return std::nullopt;
}
inline std::optional<int64_t> integer(const duck::Cell& cell) {
    const auto* value = std::get_if<int64_t>(&cell);
    return value ? std::optional<int64_t>(*value) : std::nullopt;
}
template <class T>
duck::Cell cell(const std::optional<T>& value) {
    return value ? duck::Cell(*value) : duck::Cell();
}

}  // namespace opsight::fleet
