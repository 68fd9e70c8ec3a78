#include "import/sqlite/importer.h"

#include <algorithm>

#include "base/sqlite.h"
#include "import/dlprof/importer.h"

namespace opsight {
namespace {

using Tables = std::vector<sqlite::Database::TableInfo>;

bool has(const Tables& tables, std::string_view name) {
    return std::any_of(tables.begin(), tables.end(),
                       [&](const auto& table) { return table.ordinary && table.name == name; });
}

SqliteKind kind_of(const Tables& tables) {
    if (has(tables, "read_only_ops") || (has(tables, "db_version") && has(tables, "read_only_system_config")))
        return SqliteKind::kDlprof;
    // nvprof's databases have kinds of activities under the same names, and their texts elsewhere.
    if (has(tables, "StringTable") || has(tables, "CUPTI_ACTIVITY_KIND_MARKER")) return SqliteKind::kNvprof;
    return has(tables, "StringIds") ? SqliteKind::kNsys : SqliteKind::kOther;
}

}  // namespace

Result<SqliteKind> sqlite_kind(const std::string& path) {
    OPSIGHT_ASSIGN(sqlite::Database database, sqlite::Database::open(path));
    OPSIGHT_ASSIGN(const Tables tables, database.tables());
    return kind_of(tables);
}

Result<nsys::ReportFacts> import_sqlite(const std::string& path, const nsys::ReadOptions& options,
                                        ProfileBuilder& builder) {
    OPSIGHT_ASSIGN(const SqliteKind kind, sqlite_kind(path));
    switch (kind) {
        case SqliteKind::kNsys:
            return nsys::import_export(path, options, builder);
        case SqliteKind::kDlprof:
            return dlprof::import_database(path, options, builder);
        case SqliteKind::kNvprof:
            return fail("is a database of nvprof, which Opsight does not read", path, {},
                        "record again with 'nsys profile', and export with 'nsys export --type sqlite'");
        case SqliteKind::kOther:
            break;
    }
    return fail("is a SQLite database, but no export of Nsight Systems: it has no table StringIds", path, {},
                "make one with 'nsys export --type sqlite REPORT.nsys-rep'");
}

}  // namespace opsight
