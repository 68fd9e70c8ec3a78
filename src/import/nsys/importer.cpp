#include "import/nsys/importer.h"

#include "base/sqlite.h"
#include "import/nsys/export.h"
#include "import/nsys/readers.h"

namespace opsight::importer::nsys {
namespace {

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

Result<ReportFacts> import_tables(const std::string& path, const ReadOptions& options,
                                  ProfileBuilder& builder, const std::string& source, ReadTables read) {
    Progress* progress = options.progress;
    OPSIGHT_ASSIGN(sqlite::Database database, sqlite::Database::open(path));
    OPSIGHT_ASSIGN(const std::vector<sqlite::Database::TableInfo> tables, database.tables());
    const std::string name = source.empty() ? path : source;
    if (database.is_cut())
        builder.diagnostics().add(Diag::kTruncatedInput,
                                  {name, -1, -1, "the file is shorter than its header says"});
    Report report(std::move(database), tables, name, builder);
    if (progress)
        report.on_progress = [progress, before = options.disk_before](uint64_t bytes) {
            progress->set_done(before + bytes);
        };
    OPSIGHT_TRY(read(report));
    report.any_rank();  // a report without events is one of a process still
    builder.info().sources.push_back(name);
    return ReportFacts{report.events()};
}

Result<ReportFacts> import_export(const std::string& path, const ReadOptions& options,
                                  ProfileBuilder& builder, const std::string& source) {
    return import_tables(path, options, builder, source, read_all);
}

}  // namespace opsight::importer::nsys
