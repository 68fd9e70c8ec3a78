// What the cells of an answer hold, as plain values; `otherwise` where one is empty or of another type.
#pragma once

#include <string>

#include "base/duckdb.h"

namespace opsight::query {

inline int64_t integer(const duck::Cell& cell, int64_t otherwise = 0) {
    const int64_t* value = std::get_if<int64_t>(&cell);
    return value ? *value : otherwise;
}
inline double real(const duck::Cell& cell, double otherwise = 0) {
    if (const double* value = std::get_if<double>(&cell)) return *value;
    const int64_t* whole = std::get_if<int64_t>(&cell);
    return whole ? static_cast<double>(*whole) : otherwise;
}
inline std::string text(const duck::Cell& cell) {
    const std::string* value = std::get_if<std::string>(&cell);
    return value ? *value : std::string();
}
inline bool flag(const duck::Cell& cell) {
    const bool* value = std::get_if<bool>(&cell);
    return value && *value;
}

}  // namespace opsight::query
