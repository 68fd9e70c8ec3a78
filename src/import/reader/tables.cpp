#include "import/reader/tables.h"

#include <filesystem>

#include "base/sqlite.h"

namespace opsight::importer {

bool looks_like_sqlite(std::string_view first_bytes) {
    return first_bytes.starts_with("SQLite format 3");
}

Result<std::vector<std::string>> tables_of(const std::string& path) {
    OPSIGHT_ASSIGN(sqlite::Database database, sqlite::Database::open(path));
    OPSIGHT_ASSIGN(const std::vector<sqlite::Database::TableInfo> tables, database.tables());
    std::vector<std::string> names;
    for (const auto& table : tables)
        if (table.ordinary) names.push_back(table.name);
    return names;
}

ImportFacts facts_of_database(const std::string& path, uint64_t events) {
    std::error_code ignored;
    const uintmax_t size = std::filesystem::file_size(path, ignored);
    return {1, ignored ? 0 : size, events};
}

}  // namespace opsight::importer
