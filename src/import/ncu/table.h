// The tables that ncu printed: CSV between lines of its log and of the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opsight::importer::ncu {

// Whether a line may be the first one of such a table.
bool starts_table(std::string_view line);
bool starts_table(const std::vector<std::string>& row);

}  // namespace opsight::importer::ncu
