#include "db/reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>

#include "db/file_check.h"
#include "db/schema.h"
#include "db/sql_names.h"

namespace opsight::db {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHowToMake = "make a profile with 'opsight import TRACE' or 'opsight profile'";

// DuckDB's file begins with three headers of this size; the first has "DUCK" at byte 8, the other two,
// written in turns, hold the number and size of the blocks that follow.
constexpr size_t kHeaderBytes = 4096;

struct FileHead {
    std::array<char, 3 * kHeaderBytes> bytes{};
    size_t read = 0;
    bool begins_with(std::string_view text, size_t at = 0) const {
        return read >= at + text.size() && std::memcmp(bytes.data() + at, text.data(), text.size()) == 0;
    }
    uint64_t number(size_t at) const {
        uint64_t value = 0;
        std::memcpy(&value, bytes.data() + at, sizeof(value));
        return value;
    }
};

Error not_a_profile(std::string what, const std::string& path = {}, std::string remedy = kHowToMake) {
    return {std::move(what), path, {}, std::move(remedy), 1, ErrorCode::kNotAProfile};
}

Result<FileHead> read_head(const std::string& path) {
    std::error_code problem;
    if (!fs::exists(path, problem))
        return fail(Error{"no such file", path, {}, kHowToMake, 1, ErrorCode::kNotFound});
    if (fs::is_directory(path, problem)) return fail(not_a_profile("is a directory, not a profile", path));
    if (!fs::is_regular_file(path, problem))  // reading from a pipe would wait for ever
        return fail(not_a_profile("is not a regular file, but a pipe or a device", path));
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return fail(fmt::format("cannot be read: {}", std::strerror(errno)), path);
    FileHead head;
    const ssize_t got = ::pread(file, head.bytes.data(), head.bytes.size(), 0);
    ::close(file);
    if (got < 0) return fail(fmt::format("cannot be read: {}", std::strerror(errno)), path);
    head.read = static_cast<size_t>(got);
    return head;
}

bool looks_like_trace(const FileHead& head) {
    if (head.begins_with("\x1f\x8b")) return true;
    for (size_t i = 0; i < head.read; ++i)
        if (!std::isspace(static_cast<unsigned char>(head.bytes[i])))
            return head.bytes[i] == '{' || head.bytes[i] == '[';
    return false;
}

Error truncated(const std::string& path) {
    return {"is truncated: the file is shorter than its header says",
            path,
            {},
            "copy it again, or import the trace again"};
}

Status check_head(const FileHead& head, const std::string& path) {
    if (head.read == 0) return fail(not_a_profile("is empty, not a profile", path));
    if (head.begins_with("SQLite format 3"))
        return fail(not_a_profile("is an SQLite file, not an Opsight profile", path));
    if (looks_like_trace(head))
        return fail(not_a_profile("looks like a trace, not like an Opsight profile", path,
                                  "turn it into a profile first: opsight import " + path));
    if (!head.begins_with("DUCK", 8)) return fail(not_a_profile("is not an Opsight profile", path));
    if (head.read < head.bytes.size()) return fail(truncated(path));
    return {};
}

// The blocks of a file that is shorter than its header says. A database that was written to cuts free blocks
// off its end after it has written the header: then the file is whole all the same.
struct Shortened {
    uint64_t blocks = 0;
    bool within_a_block = false;
};

std::optional<Shortened> shortened(const FileHead& head, const std::string& path) {
    const size_t newest =
        head.number(kHeaderBytes + 8) >= head.number(2 * kHeaderBytes + 8) ? kHeaderBytes : 2 * kHeaderBytes;
    const uint64_t blocks = head.number(newest + 32), block_bytes = head.number(newest + 40);
    std::error_code problem;
    const uint64_t size = fs::file_size(path, problem);
    if (problem || block_bytes == 0) return std::nullopt;
    const uint64_t bytes = size - std::min<uint64_t>(size, 3 * kHeaderBytes);
    if (bytes / block_bytes >= blocks) return std::nullopt;
    return Shortened{bytes / block_bytes, bytes % block_bytes != 0};
}

// Whether the blocks that hold something are more than the file has.
bool lacks_blocks(duck::Connection& connection, const Shortened& file) {
    if (file.within_a_block) return true;
    const auto used = connection.query(
        duck::Statement("SELECT used_blocks FROM pragma_database_size() WHERE database_name = $file")
            .set("file", duck::Database::kAttached));
    if (!used || used->rows.size() != 1) return true;
    const auto* blocks = std::get_if<int64_t>(&used->rows[0][0]);
    return !blocks || static_cast<uint64_t>(*blocks) > file.blocks;
}

Error explain(Error error, const std::string& path) {
    error.file = path;
    if (!error.remedy.empty()) return error;  // one of ours
    if (error.code == ErrorCode::kLocked) {
        error.what = "is being written by another process";
        error.remedy = "wait until that process has ended";
    } else if (error.code == ErrorCode::kNewerSchema) {
        error.what = "was written by a newer DuckDB than this Opsight has";
        error.remedy = "use a newer Opsight";
    } else {
        error.what = "cannot be opened as a profile: " + error.what;
        error.remedy = "import the trace again if the file is damaged";
    }
    return error;
}

Error another_database() {
    return not_a_profile("is a DuckDB database, but not an Opsight profile");
}

Result<int> stored_version(duck::Connection& connection) {
    const auto rows = connection.query(
        fmt::format("SELECT value FROM {}.raw.meta WHERE key = 'schema_version'", duck::Database::kAttached));
    int version = 0;
    if (rows && rows->rows.size() == 1)
        if (const auto* text = std::get_if<std::string>(&rows->rows[0][0])) {
            const auto read = std::from_chars(text->data(), text->data() + text->size(), version);
            if (read.ec == std::errc() && read.ptr == text->data() + text->size() && version > 0)
                return version;
        }
    return fail(another_database());
}

bool holds_facts(const StoredTable& table) {
    return table.schema == "raw" && table.name == "meta";
}

// The schema version of an attached file that nothing speaks against. Of an older one the views are not
// looked at: they go before anything reads them.
Result<int> check_file(const duck::Database& database, duck::Connection& connection, int threads,
                       const std::optional<Shortened>& cut) {
    if (cut && lacks_blocks(connection, *cut)) return fail(truncated({}));
    OPSIGHT_ASSIGN(const std::vector<StoredTable> tables, stored_tables(connection));
    if (std::none_of(tables.begin(), tables.end(), holds_facts)) return fail(another_database());
    OPSIGHT_TRY(check_objects(connection, tables));
    OPSIGHT_ASSIGN(const int version, stored_version(connection));
    if (version > kSchemaVersion)
        return fail(Error{fmt::format("has schema version {}; this Opsight reads up to version {}", version,
                                      kSchemaVersion),
                          {},
                          {},
                          "use the Opsight that wrote it, or a newer one",
                          1,
                          ErrorCode::kNewerSchema});
    const bool current = version == kSchemaVersion;
    OPSIGHT_TRY(check_views(connection, current));
    OPSIGHT_TRY(check_tables(connection, current));
    if (current) OPSIGHT_TRY(check_values(database, connection, threads));
    return version;
}

struct Attached {
    OpenProfile profile;
    int version;
};

constexpr uintmax_t kSmall = 16 << 20;

// A small profile is read by the thread that asks alone: to hand its statements, of some milliseconds, to
// others took a fifth of their time, and a viewer of a folder would have a thread for each file and core. 0:
// all cores.
int threads_for(const std::string& path) {
    std::error_code unknown;
    const uintmax_t bytes = fs::file_size(path, unknown);
    return !unknown && bytes < kSmall ? 1 : 0;
}

Result<Attached> open_database(const std::string& path, const ReadOptions& options, bool read_only) {
    OPSIGHT_ASSIGN(const FileHead head, read_head(path));
    OPSIGHT_TRY(check_head(head, path));
    const std::optional<Shortened> cut = shortened(head, path);
    duck::OpenOptions open;
    open.read_only = read_only;
    open.threads = options.threads > 0 ? options.threads : threads_for(path);
    open.memory_limit_bytes = options.memory_limit_bytes;
    open.write_folder = options.write_folder;
    std::error_code ignored;
    int version = 0;
    bool looked_at = false;
    auto database =
        duck::Database::attach(fs::absolute(path, ignored).string(), open,
                               [&](const duck::Database& opened, duck::Connection& connection) -> Status {
                                   looked_at = true;
                                   OPSIGHT_ASSIGN(version, check_file(opened, connection, open.threads, cut));
                                   return {};
                               });
    if (!database && cut && !looked_at) return fail(truncated(path));
    if (!database) return fail(explain(std::move(database).error(), path));
    OPSIGHT_ASSIGN(duck::Connection connection, db::connect(*database));
    return Attached{{std::move(*database), std::move(connection)}, version};
}

// The views of an older version are of no use, and might be anything.
Result<std::string> drop_views_sql(duck::Connection& connection) {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        connection.query(duck::Statement("SELECT view_name FROM duckdb_views() WHERE database_name = $file")
                             .set("file", duck::Database::kAttached)));
    std::string sql;
    for (const auto& row : rows.rows)
        if (const auto* name = std::get_if<std::string>(&row[0]))
            sql += fmt::format("DROP VIEW main.{};", duck::quote_name(*name));
    return sql;
}

Status bring_up_to_date(const std::string& path, const ReadOptions& options) {
    OPSIGHT_ASSIGN(Attached writable, open_database(path, options, false));
    duck::Connection& connection = writable.profile.connection;
    OPSIGHT_ASSIGN(const std::string drop_views, drop_views_sql(connection));
    Status done =
        migrate(connection, writable.version, kSchemaVersion, migrations(), drop_views + create_views_sql());
    if (done) return done;
    Error error = std::move(done).error();
    if (error.code != ErrorCode::kOlderSchema) error.what = "cannot be brought up to date: " + error.what;
    error.file = path;
    return fail(std::move(error));
}

}  // namespace

Status migrate(duck::Connection& connection, int version, int target, const std::vector<Migration>& steps,
               const std::string& last) {
    for (; version < target; ++version) {
        const auto step = std::find_if(steps.begin(), steps.end(),
                                       [version](const Migration& s) { return s.from == version; });
        if (step == steps.end())
            return fail(
                Error{fmt::format("has schema version {}, which this Opsight can no longer read", version),
                      {},
                      {},
                      "import the trace again",
                      1,
                      ErrorCode::kOlderSchema});
        const std::string mark =
            fmt::format("UPDATE raw.meta SET value = '{}' WHERE key = 'schema_version'", version + 1);
        if (Status done = connection.execute("BEGIN;" + step->sql + ";" +
                                             (version + 1 == target ? last : "") + mark + ";COMMIT");
            !done) {
            (void)connection.execute("ROLLBACK");
            return done;
        }
    }
    return {};
}

Result<duck::Connection> connect(const duck::Database& database) {
    OPSIGHT_ASSIGN(duck::Connection connection, database.connect());
    OPSIGHT_TRY(define_names(connection));
    return connection;
}

ReadOptions with_little_memory(const std::string& path) {
    // Measured: a file of 288 MB (10 million spans) fails with 300 MiB and does with 600.
    constexpr int64_t kLeast = int64_t{600} << 20, kQuarters = 9;
    constexpr unsigned kThreads = 4;
    std::error_code unknown;
    const uintmax_t bytes = fs::file_size(path, unknown);
    ReadOptions options;
    if (unknown || bytes < kSmall) return options;
    options.threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, kThreads));
    options.memory_limit_bytes = std::max(kLeast, static_cast<int64_t>(bytes / 4) * kQuarters);
    return options;
}

Result<OpenProfile> open_profile(const std::string& path, const ReadOptions& options) {
    {
        OPSIGHT_ASSIGN(Attached opened, open_database(path, options, true));
        if (opened.version == kSchemaVersion) return std::move(opened.profile);
        if (!options.may_write)
            return fail(Error{
                fmt::format("has the older schema version {} and may not be written to", opened.version),
                path,
                {},
                "bring it up to date once: opsight info " + path,
                1,
                ErrorCode::kOlderSchema});
    }  // a file is open either for reading or for writing
    OPSIGHT_TRY(bring_up_to_date(path, options));
    OPSIGHT_ASSIGN(Attached opened, open_database(path, options, true));
    return std::move(opened.profile);
}

Result<OpenProfile> open_profile_to_change(const std::string& path) {
    OPSIGHT_TRY(open_profile(path));  // says why it cannot be, and brings it up to date
    OPSIGHT_ASSIGN(Attached opened, open_database(path, {}, false));
    return std::move(opened.profile);
}

}  // namespace opsight::db
