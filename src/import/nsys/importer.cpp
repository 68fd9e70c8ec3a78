#include "import/nsys/importer.h"

#include <algorithm>

#include "base/sqlite.h"
#include "import/dlprof/importer.h"
#include "import/nsys/export.h"
#include "import/nsys/readers.h"

namespace opsight::nsys {
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

Status read_all(Report& report) {
    OPSIGHT_TRY(report.load_strings());
    OPSIGHT_TRY(read_environment(report));
    OPSIGHT_TRY(read_mpi_ranks(report));
    OPSIGHT_TRY(read_cuda(report));
    OPSIGHT_TRY(read_nvtx(report));
    OPSIGHT_TRY(read_host_calls(report));
    OPSIGHT_TRY(read_file_access(report));
    OPSIGHT_TRY(read_memory(report));
    OPSIGHT_TRY(read_counters(report));
    OPSIGHT_TRY(read_samples(report));
    OPSIGHT_TRY(read_target(report));
    note_unread(report);
    return {};
}

}  // namespace

Result<SqliteKind> sqlite_kind(const std::string& path) {
    OPSIGHT_ASSIGN(sqlite::Database database, sqlite::Database::open(path));
    OPSIGHT_ASSIGN(const Tables tables, database.tables());
    return kind_of(tables);
}

Result<ReportFacts> import_export(const std::string& path, const ReadOptions& options,
                                  ProfileBuilder& builder, const std::string& source) {
    Progress* progress = options.progress;
    OPSIGHT_ASSIGN(sqlite::Database database, sqlite::Database::open(path));
    OPSIGHT_ASSIGN(const Tables tables, database.tables());
    const SqliteKind kind = kind_of(tables);
    switch (kind) {
        case SqliteKind::kNsys:
        case SqliteKind::kDlprof:
            break;
        case SqliteKind::kNvprof:
            return fail("is a database of nvprof, which Opsight does not read", path, {},
                        "record again with 'nsys profile', and export with 'nsys export --type sqlite'");
        case SqliteKind::kOther:
            return fail("is a SQLite database, but no export of Nsight Systems: it has no table StringIds",
                        path, {}, "make one with 'nsys export --type sqlite REPORT.nsys-rep'");
    }
    const std::string name = source.empty() ? path : source;
    if (database.is_cut())
        builder.diagnostics().add(Diag::kTruncatedInput,
                                  {name, -1, -1, "the file is shorter than its header says"});
    Report report(std::move(database), tables, name, builder);
    if (progress)
        report.on_progress = [progress, before = options.disk_before](uint64_t bytes) {
            progress->set_done(before + bytes);
        };
    OPSIGHT_TRY(kind == SqliteKind::kDlprof ? dlprof::read_database(report) : read_all(report));
    report.any_rank();  // a report without events is one of a process still
    builder.info().sources.push_back(name);
    return ReportFacts{report.events()};
}

}  // namespace opsight::nsys
