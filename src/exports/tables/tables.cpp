#include "exports/tables/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/left_behind.h"
#include "base/output_file.h"
#include "base/sql.h"
#include "db/reader.h"
#include "db/schema.h"
#include "exports/format/output.h"
#include "fleet/facts/facts.h"
#include "query/session/cells.h"
#include "query/session/session.h"

namespace opsight::exports {
namespace {

namespace fs = std::filesystem;

struct Form {
    std::string_view ending, options;  // of COPY
};
constexpr Form kCsv = {".csv", "FORMAT csv, HEADER"},
               kParquet = {".parquet", "FORMAT parquet, COMPRESSION zstd"};

bool has_column(const db::View& view, std::string_view name) {
    return std::any_of(view.columns.begin(), view.columns.end(),
                       [name](const db::Column& column) { return column.name == name; });
}

// The rows of a table that the scope takes. Tables that tell no rank or no iteration of their rows are whole
// in that respect.
std::string rows_of(const std::string& table, const Scope& scope) {
    std::string rows = "FROM " + duck::quote_name(table);
    const auto view = std::find_if(db::views().begin(), db::views().end(),
                                   [&table](const db::View& each) { return each.name == table; });
    if (view == db::views().end()) return rows;
    std::vector<std::string> conditions;
    if (scope.rank && has_column(*view, "rank")) conditions.push_back(fmt::format("rank = {}", *scope.rank));
    if (scope.start && has_column(*view, "iteration"))
        conditions.push_back(fmt::format("iteration BETWEEN {} AND {}", *scope.start, *scope.stop));
    if (!conditions.empty()) rows += fmt::format(" WHERE {}", fmt::join(conditions, " AND "));
    return rows;
}

// Those of DuckDB name a temporary file, which is gone.
Error not_written_whole(const Error& error, const std::string& folder) {
    return {.what = "is not written whole: " + error.what,
            .file = folder,
            .remedy = "make room, or choose another folder with -o; tables that stand there are whole",
            .code = error.code};
}

Result<std::string> write(const Job& job, const Form& form) {
    OPSIGHT_TRY(make_folder(job.output));
    std::error_code problem;
    const fs::path folder = fs::canonical(job.output, problem);
    if (problem) return fail("cannot be found: " + problem.message(), job.output);
    db::ReadOptions options = db::with_little_memory(job.profile);
    options.write_folder = folder.string() + "/";
    OPSIGHT_ASSIGN(const db::OpenProfile profile, db::open_profile(job.profile, options));
    OPSIGHT_ASSIGN(duck::Connection connection, db::connect(profile.database));
    OPSIGHT_ASSIGN(const duck::Rows tables, connection.query("SHOW TABLES"));
    // All that could stand in the way is looked at before the first is written.
    for (const auto& row : tables.rows)
        OPSIGHT_TRY(
            check_output((folder / (query::text(row[0]) + std::string(form.ending))).string(), job.replace));
    int64_t rows = 0;
    for (const auto& row : tables.rows) {
        const std::string name = query::text(row[0]);
        OPSIGHT_ASSIGN(
            OutputFile file,
            OutputFile::reserve((folder / (name + std::string(form.ending))).string(), job.replace));
        const auto copied = connection.query(fmt::format("COPY ({}) TO {} ({})", rows_of(name, job.scope),
                                                         duck::quote_text(file.temporary()), form.options));
        if (!copied) return fail(not_written_whole(copied.error(), job.output));
        OPSIGHT_TRY(file.commit());
        if (!copied->rows.empty()) rows += query::integer(copied->rows[0][0]);
    }
    return fmt::format("{} tables, {} rows", tables.rows.size(), rows);
}

// A table below FOLDER/TABLE/run=RUN/, of tables with ranks in a folder rank=RANK each, which DuckDB fills in
// one pass. Nothing has these names before all of it is written.
Result<int64_t> write_partitions(duck::Connection& connection, const fs::path& folder, const std::string& run,
                                 const std::string& table, const Job& job) {
    const auto view = std::find_if(db::views().begin(), db::views().end(),
                                   [&table](const db::View& each) { return each.name == table; });
    const bool by_rank = view != db::views().end() && has_column(*view, "rank");
    const LeftBehind part((folder / ("." + table + ".part")).string());
    std::error_code problem;
    fs::remove_all(part.path(), problem);
    const std::string run_folder = part.path() + "/run=" + run;
    if (!fs::create_directories(run_folder, problem))
        return fail("cannot be made: " + problem.message(), part.path());
    const std::string to =
        by_rank
            ? fmt::format("{} (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (rank), OVERWRITE_OR_IGNORE)",
                          duck::quote_text(run_folder))
            : fmt::format("{} ({})", duck::quote_text(run_folder + "/data_0.parquet"), kParquet.options);
    const auto copied = connection.query(fmt::format("COPY ({}) TO {}", rows_of(table, job.scope), to));
    if (!copied) return fail(not_written_whole(copied.error(), job.output));
    const fs::path final_folder = folder / table / ("run=" + run);
    fs::create_directories(folder / table, problem);
    if (job.replace) fs::remove_all(final_folder, problem);
    fs::rename(run_folder, final_folder, problem);
    if (problem) return fail("cannot be given its name: " + problem.message(), final_folder.string());
    return copied->rows.empty() ? 0 : query::integer(copied->rows[0][0]);
}

Result<std::string> write_partitioned(const Job& job) {
    OPSIGHT_TRY(make_folder(job.output));
    std::error_code problem;
    const fs::path folder = fs::canonical(job.output, problem);
    if (problem) return fail("cannot be found: " + problem.message(), job.output);
    db::ReadOptions options = db::with_little_memory(job.profile);
    options.write_folder = folder.string() + "/";
    OPSIGHT_ASSIGN(const db::OpenProfile profile, db::open_profile(job.profile, options));
    OPSIGHT_ASSIGN(query::Session session, query::Session::open_on(profile, job.profile, {}));
    OPSIGHT_ASSIGN(const std::string run, fleet::recording_id(session));
    OPSIGHT_ASSIGN(duck::Connection connection, db::connect(profile.database));
    OPSIGHT_ASSIGN(const duck::Rows tables, connection.query("SHOW TABLES"));
    for (const auto& row : tables.rows)
        if (const fs::path there = folder / query::text(row[0]) / ("run=" + run);
            !job.replace && fs::exists(there, problem))
            return fail("exists already", there.string(), {},
                        "choose another folder, or replace it with --force");
    int64_t rows = 0;
    for (const auto& row : tables.rows) {
        OPSIGHT_ASSIGN(const int64_t written,
                       write_partitions(connection, folder, run, query::text(row[0]), job));
        rows += written;
    }
    return fmt::format("{} tables, {} rows, run={}", tables.rows.size(), rows, run);
}

Result<std::string> write_csv(const Job& job) {
    return write(job, kCsv);
}
Result<std::string> write_parquet(const Job& job) {
    return job.partitioned ? write_partitioned(job) : write(job, kParquet);
}

}  // namespace

Format csv_format() {
    return {"csv", "-csv", "every table of docs/SCHEMA.md as CSV, a file each", true, false, write_csv};
}

Format parquet_format() {
    return {"parquet", "-parquet", "the same tables as Parquet, for DuckDB, pandas, Spark and others",
            true,      false,      write_parquet,
            true};
}

}  // namespace opsight::exports
