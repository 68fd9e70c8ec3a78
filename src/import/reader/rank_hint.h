// The rank that a file's name suggests ("rank-3.json", "worker2_step_12..."): a hint, never a fact.
#pragma once

#include <cstdint>
#include <string_view>

namespace opsight::importer {

// -1: the name suggests none.
int64_t rank_hint(std::string_view path);

}  // namespace opsight::importer
