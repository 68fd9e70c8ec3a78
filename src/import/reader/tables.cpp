#include "import/reader/tables.h"

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

}  // namespace opsight::importer
