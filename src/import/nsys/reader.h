// Reports of Nsight Systems: exports, and those that its own program has to export first.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::nsys {

inline constexpr std::string_view kExportTable = "StringIds";  // every export has it

Reader export_reader();
Reader report_reader();

}  // namespace opsight::importer::nsys
