// Hashes of what layers and ops hold, within one run of the program.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace opsight::query {

inline uint64_t mixed(uint64_t seed, uint64_t value) {
    return (seed ^ value) * 0x9E3779B97F4A7C15ull + (seed >> 29) + 1;
}
inline uint64_t mixed(uint64_t seed, std::string_view text) {
    return mixed(seed, std::hash<std::string_view>{}(text));
}

}  // namespace opsight::query
