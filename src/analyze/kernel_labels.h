// What kernels are called in tables: their short names, and where several kernels of a profile share one,
// that with the part of the full names that tells them apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opsight::analyze {

struct KernelName {
    std::string_view full, short_name;
};

// A label for each of the names, which are distinct. Of `void at::native::f<4, at::Add<float>>(int)` and
// `void at::native::f<4, at::Mul<float>>(int)` they are `f<Add<float>>` and `f<Mul<float>>`: of template
// arguments (else of arguments) those that differ, without namespaces. Labels are at most kLongestLabel bytes
// long and differ from each other.
std::vector<std::string> kernel_labels(const std::vector<KernelName>& names);

inline constexpr size_t kLongestLabel = 80;

}  // namespace opsight::analyze
