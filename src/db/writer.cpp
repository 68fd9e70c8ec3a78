#include "db/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>

#include "base/output_file.h"
#include "base/task_group.h"
#include "db/schema.h"
#include "db/value_rules.h"
#include "db/writer_tables.h"

namespace opsight::db {
namespace {

constexpr size_t kRowGroup = 122880;  // rows that DuckDB compresses together

// Each table takes at least one block, so small blocks keep small profiles small; but full columns pack
// better into larger ones (230 k spans: 6.6 MB at 16 KiB, 3.9 at 64 KiB, 7.9 at 256 KiB), which are quicker
// too.
int block_bytes(const Profile& profile) {
    const size_t spans = profile.host.size() + profile.device.size();
    if (spans < size_t{1} << 15) return 16 << 10;
    return spans < size_t{1} << 20 ? 64 << 10 : 256 << 10;
}

// Enough for a profile of any size (20 million spans need no more), and little beside the spans themselves.
constexpr int64_t kMemory = 1'200'000'000;

struct Part {
    const TableFill* table;
    size_t from, to;
};

// Two lists of about equal work. Big tables are cut at a row group; the first halves are committed first,
// which keeps the rows in order.
std::array<std::vector<Part>, 2> divide(const std::vector<TableFill>& fills, int threads) {
    std::array<std::vector<Part>, 2> parts;
    for (const TableFill& fill : fills) {
        const size_t half = threads > 1 ? fill.rows / 2 / kRowGroup * kRowGroup : 0;
        if (half == 0) {
            parts[0].push_back({&fill, 0, fill.rows});
        } else {
            parts[0].push_back({&fill, 0, half});
            parts[1].push_back({&fill, half, fill.rows});
        }
    }
    return parts;
}

Status append_parts(duck::Connection& connection, const std::vector<Part>& parts) {
    OPSIGHT_TRY(connection.execute("BEGIN TRANSACTION"));
    for (const Part& part : parts) {
        if (part.from == part.to) continue;
        OPSIGHT_ASSIGN(TableWriter writer, TableWriter::create(connection, part.table->table));
        OPSIGHT_TRY(writer.rows(part.from, part.to, part.table->fill));
    }
    return {};
}

Status fill_database(const std::string& path, const WritePlan& plan, const WriteOptions& options) {
    duck::OpenOptions open;
    open.threads = options.threads;
    open.memory_limit_bytes = options.memory_limit_bytes > 0 ? options.memory_limit_bytes : kMemory;
    open.block_bytes = block_bytes(plan.profile);
    OPSIGHT_ASSIGN(const duck::Database database, duck::Database::open(path, open));
    OPSIGHT_ASSIGN(duck::Connection first, database.connect());
    OPSIGHT_ASSIGN(duck::Connection second, database.connect());
    OPSIGHT_TRY(first.execute("SET checkpoint_threshold = '1TB'"));  // once, at the end
    OPSIGHT_TRY(first.execute("BEGIN TRANSACTION;" + create_tables_sql() + create_views_sql() + "COMMIT"));

    std::vector<TableFill> fills = span_table_fills(plan);
    for (TableFill& fill : small_table_fills(plan))
        fills.push_back(std::move(fill));
    const auto parts = divide(fills, options.threads);
    Status second_status;
    TaskGroup tasks;
    if (!parts[1].empty()) tasks.start([&] { second_status = append_parts(second, parts[1]); });
    const Status first_status = append_parts(first, parts[0]);
    tasks.join();
    OPSIGHT_TRY(first_status);
    OPSIGHT_TRY(second_status);
    OPSIGHT_TRY(first.execute("COMMIT"));
    if (!parts[1].empty()) OPSIGHT_TRY(second.execute("COMMIT"));
    OPSIGHT_TRY(first.execute("INSERT INTO raw.op_stats " + op_stats_sql("raw.ops")));
    OPSIGHT_TRY(first.execute("INSERT INTO raw.work_stats " + work_stats_sql("raw.device_spans", "raw.ops")));
    return first.execute("CHECKPOINT");
}

Status check_sizes(const Profile& profile, const analyze::Analysis& analysis) {
    const size_t host = profile.host.size(), ops = profile.op_details.size(), device = profile.device.size();
    const bool fits = analysis.depth.size() == host && analysis.op_span.size() == host &&
                      analysis.iteration.size() == host && analysis.layer.size() == host &&
                      analysis.op.size() == ops && analysis.self_ns.size() == ops &&
                      analysis.forward.size() == ops && analysis.launch.size() == device &&
                      analysis.launch_op.size() == device && analysis.device_op.size() == device &&
                      analysis.kernel.size() == device && analysis.device_iteration.size() == device &&
                      analysis.host_ns.size() == device && analysis.span_work.size() == device &&
                      analysis.span_share.size() == device && analysis.device_flags.size() == device &&
                      analysis.peaks.size() == profile.devices.size() &&
                      analysis.occupancy_pct.size() == profile.launch_configs.size() &&
                      analysis.waves.size() == profile.launch_configs.size();
    if (!fits) return fail("the analysis is not of this profile: its columns have other lengths");
    for (const auto& [what, rows] : {std::pair("host spans", host),
                                     {"device spans", device},
                                     {"counter samples", profile.counters.size()},
                                     {"memory events", profile.memory.size()}})
        OPSIGHT_TRY(check_row_count(what, rows));
    return check_row_count("texts", profile.strings.size(), kMostTexts);
}

// DuckDB tells of its own insides, on many lines.
Error not_written(Error error, const std::string& path) {
    error.what.resize(std::min(error.what.find('\n'), error.what.size()));
    const bool full = error.code == ErrorCode::kNoSpace;
    std::string folder = std::filesystem::path(path).parent_path().string();
    if (folder.empty()) folder = "the current folder";
    error.what = full ? fmt::format("the disk is full: the profile does not fit in {}", folder)
                      : "the profile could not be written: " + error.what;
    error.remedy = full
                       ? "make room there, or write to another disk with -o; nothing was left under this name"
                       : "nothing was left under this name";
    error.file = path;
    return error;
}

}  // namespace

Status check_row_count(std::string_view what, size_t rows, size_t most) {
    if (rows <= most) return {};
    return fail(fmt::format("has {} {}, more than the {} that a profile can number", rows, what, most), {},
                {}, "import fewer files at a time, or record less");
}

Status write_profile(const std::string& path, const Profile& profile, const analyze::Analysis& analysis,
                     const WriteOptions& options) {
    OPSIGHT_TRY(check_sizes(profile, analysis));
    OPSIGHT_ASSIGN(OutputFile file, OutputFile::reserve(path, options.overwrite));
    const WritePlan plan(profile, analysis, options.clocks);
    if (Status status = fill_database(file.temporary(), plan, options); !status) {
        return fail(not_written(std::move(status).error(), path));
    }
    return file.commit();
}

}  // namespace opsight::db
