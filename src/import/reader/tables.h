// SQLite files are told apart by their tables.
#pragma once

#include <string>
#include <vector>

#include "import/reader/reader.h"

namespace opsight::importer {

bool looks_like_sqlite(std::string_view first_bytes);
// The names of its tables, without views and virtual tables.
Result<std::vector<std::string>> tables_of(const std::string& path);

// What was read of a database: `events` of it, and its bytes.
ImportFacts facts_of_database(const std::string& path, uint64_t events);

}  // namespace opsight::importer
