// The tables that ncu printed: CSV between lines of its log and of the program.
#pragma once

#include <string_view>

namespace opsight::importer::ncu {

// Whether a line may be the first one of such a table.
bool starts_table(std::string_view line);

}  // namespace opsight::importer::ncu
