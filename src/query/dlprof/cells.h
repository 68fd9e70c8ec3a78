// What a row of a query holds, as plain values; a cell of another type is -1, empty or false.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "base/duckdb.h"

namespace opsight::query::dlprof {

inline int64_t number(const duck::Cell& cell) {
    const int64_t* value = std::get_if<int64_t>(&cell);
    return value ? *value : -1;
}
inline std::string text(const duck::Cell& cell) {
    const std::string* value = std::get_if<std::string>(&cell);
    return value ? *value : std::string();
}
inline bool truth(const duck::Cell& cell) {
    const bool* value = std::get_if<bool>(&cell);
    return value && *value;
}

// Grows a list that is filled by id.
template <class T>
T& at(std::vector<T>& list, int64_t id) {
    if (id < 0 || id > INT32_MAX) throw std::out_of_range("id");
    if (static_cast<size_t>(id) >= list.size()) list.resize(static_cast<size_t>(id) + 1);
    return list[static_cast<size_t>(id)];
}

}  // namespace opsight::query::dlprof
