// Lists as texts of JSON, the form in which shapes, types and values of ops are kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opsight::importer {

std::string list_of(const std::vector<int64_t>& numbers);  // "[1, 3, 224, 224]"
std::string in_quotes(std::string_view text);              // control characters become blanks

}  // namespace opsight::importer
