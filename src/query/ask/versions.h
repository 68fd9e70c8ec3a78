// Versions as people write them.
#pragma once

#include <string>
#include <string_view>

namespace opsight::query {

// The numbers that CUDA and HIP count their versions in: "12090" is 12.9, "60342131" 6.3.42131. Any other
// text stays as it is.
std::string version_text(std::string_view told);

// Whether a property of a profile is such a version.
bool is_version_number(std::string_view property);

}  // namespace opsight::query
