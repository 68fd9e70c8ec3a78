// Lists that are filled by the ids of rows.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace opsight::query::dlprof {

// Grows a list that is filled by id.
template <class T>
T& at(std::vector<T>& list, int64_t id) {
    if (id < 0 || id > INT32_MAX) throw std::out_of_range("id");
    if (static_cast<size_t>(id) >= list.size()) list.resize(static_cast<size_t>(id) + 1);
    return list[static_cast<size_t>(id)];
}

}  // namespace opsight::query::dlprof
