// SQLite files are told apart by their tables.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace opsight::importer {

bool looks_like_sqlite(std::string_view first_bytes);
// The names of its tables, without views and virtual tables.
Result<std::vector<std::string>> tables_of(const std::string& path);

}  // namespace opsight::importer
