#include "query/ask/versions.h"

#include <fmt/format.h>

#include <charconv>

namespace opsight::query {

std::string version_text(std::string_view told) {
    int64_t number = 0;
    const auto read = std::from_chars(told.data(), told.data() + told.size(), number);
    const bool whole = read.ec == std::errc() && read.ptr == told.data() + told.size();
    constexpr int64_t kLeastCuda = 1000, kLeastHip = 10'000'000, kMost = 1'000'000'000;
    if (!whole || number < kLeastCuda || number >= kMost) return std::string(told);
    if (number >= kLeastHip)
        return fmt::format("{}.{}.{}", number / kLeastHip, number / 100'000 % 100, number % 100'000);
    constexpr int64_t kMostCuda = 1'000'000;
    if (number >= kMostCuda) return std::string(told);
    return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

bool is_version_number(std::string_view property) {
    return property == "cuda_driver_version" || property == "cuda_runtime_version" ||
           property == "hip_driver_version" || property == "hip_runtime_version";
}

}  // namespace opsight::query
