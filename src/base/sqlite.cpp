#include "base/sqlite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace opsight::sqlite {
namespace {

namespace fs = std::filesystem;

constexpr int kLongestValue = 64 << 20;
constexpr const char* kExportAgain =
    "export the report again, or copy the file again if the transfer broke off";

// As a file: URI, whatever characters the path has.
std::string uri_of(const std::string& path) {
    std::error_code ignored;
    std::string uri = "file:";
    for (const char c : fs::absolute(path, ignored).string()) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) || c == '/' || c == '.' || c == '_' || c == '-')
            uri += c;
        else
            uri += fmt::format("%{:02X}", byte);
    }
    return uri + "?mode=ro&immutable=1";
}

bool has_content(const std::string& path) {
    std::error_code problem;
    const uintmax_t size = fs::file_size(path, problem);
    return !problem && size > 0;
}

// A writer holds one of the bytes that SQLite locks (its file format, "Locking").
bool is_locked(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    struct flock lock {};
    lock.l_type = F_RDLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = 0x40000000;
    lock.l_len = 512;
    const bool held = ::fcntl(file, F_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
    ::close(file);
    return held;
}

Status check_settled(const std::string& path) {
    if (is_locked(path))
        return fail("is being written by another process", path, {}, "wait until that process has ended");
    for (const char* beside : {"-journal", "-wal"})
        if (has_content(path + beside))
            return fail(fmt::format("is not complete: {}{} holds changes that are not in it",
                                    fs::path(path).filename().string(), beside),
                        path, {},
                        "wait until its writer has ended; if it was killed, export the report again");
    return {};
}

// From the b-tree page itself (SQLite's file format, 1.6): no statement with a name out of the file is
// needed.
bool root_page_has_rows(int file, int64_t page) {
    unsigned char size[2] = {}, head[8] = {};
    if (::pread(file, size, sizeof size, 16) != sizeof size) return false;
    int64_t page_bytes = size[0] << 8 | size[1];
    if (page_bytes == 1) page_bytes = 65536;
    if (page < 2 || page > INT32_MAX ||
        ::pread(file, head, sizeof head, (page - 1) * page_bytes) != sizeof head)
        return false;
    constexpr unsigned char kLeaf = 13;
    return head[0] != kLeaf || head[3] != 0 || head[4] != 0;  // an inner page, or one with cells
}

uint32_t big_endian(const unsigned char* bytes) {
    return static_cast<uint32_t>(bytes[0]) << 24 | static_cast<uint32_t>(bytes[1]) << 16 |
           static_cast<uint32_t>(bytes[2]) << 8 | bytes[3];
}

// Whether the file is shorter than its header says.
bool is_shortened(const std::string& path) {
    unsigned char head[100] = {};
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const bool whole = ::pread(file, head, sizeof head, 0) == sizeof head;
    ::close(file);
    std::error_code problem;
    const uintmax_t size = fs::file_size(path, problem);
    uint32_t page_bytes = static_cast<uint32_t>(head[16]) << 8 | head[17];
    if (page_bytes == 1) page_bytes = 65536;
    const bool told = std::memcmp(head + 24, head + 92, 4) == 0;  // else the number of pages is not current
    return !whole || (!problem && told && size < uintmax_t{big_endian(head + 28)} * page_bytes);
}

void set_limits(sqlite3* handle) {
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestValue);
    sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
    sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, 50);
    sqlite3_limit(handle, SQLITE_LIMIT_COMPOUND_SELECT, 8);
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0);

    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_exec(handle, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr);
    // Reads what is there of a file that was cut, which is refused else. (It is never written to.)
    sqlite3_exec(handle, "PRAGMA writable_schema = ON", nullptr, nullptr, nullptr);
    sqlite3_exec(handle, "PRAGMA mmap_size = 0", nullptr, nullptr, nullptr);  // the file may be cut meanwhile
}

}  // namespace

Rows::~Rows() {
    sqlite3_finalize(statement_);
}

bool Rows::next() {
    const int outcome = sqlite3_step(statement_);
    if (outcome == SQLITE_ROW) return true;
    if (outcome != SQLITE_DONE) problem_ = sqlite3_errmsg(sqlite3_db_handle(statement_));
    return false;
}

bool Rows::is_null(int column) const {
    return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}
bool Rows::is_integer(int column) const {
    return sqlite3_column_type(statement_, column) == SQLITE_INTEGER;
}
int64_t Rows::integer(int column) const {
    return sqlite3_column_int64(statement_, column);
}
double Rows::real(int column) const {
    return sqlite3_column_double(statement_, column);
}
std::string_view Rows::text(int column) const {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    if (!bytes) return {};
    return {bytes, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

Result<Database> Database::open(const std::string& path) {
    OPSIGHT_TRY(check_settled(path));
    sqlite3* handle = nullptr;
    const int outcome = sqlite3_open_v2(
        uri_of(path).c_str(), &handle,
        SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, nullptr);
    Database database(handle, path);
    if (outcome != SQLITE_OK) return fail(database.error("cannot be opened"));
    set_limits(handle);
    database.is_cut_ = is_shortened(path);
    return database;
}

Database::~Database() {
    sqlite3_close(handle_);
}

uint64_t Database::bytes_read() const {
    constexpr uint64_t kPage = 4096;  // the usual size
    int pages = 0, highest = 0;
    sqlite3_db_status(handle_, SQLITE_DBSTATUS_CACHE_MISS, &pages, &highest, 0);
    return static_cast<uint64_t>(pages) * kPage;
}

Error Database::error(std::string what) const {
    const char* why = handle_ ? sqlite3_errmsg(handle_) : "out of memory";
    return {fmt::format("{} as a SQLite database: {}", what, why), path_, {}, kExportAgain};
}

Result<Rows> Database::query(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(handle_, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr) !=
        SQLITE_OK)
        return fail(error("cannot be read"));
    return Rows(statement, path_);
}

Result<std::vector<Database::TableInfo>> Database::tables() {
    const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return fail(fmt::format("cannot be read: {}", std::strerror(errno)), path_);
    std::vector<TableInfo> found;
    auto done = list_tables(file, found);
    ::close(file);
    OPSIGHT_TRY(done);
    return found;
}

Status Database::list_tables(int file, std::vector<TableInfo>& found) {
    OPSIGHT_ASSIGN(Rows rows,
                   query("SELECT name, rootpage FROM sqlite_master WHERE type IN ('table', 'view')"));
    while (rows.next()) {
        const int64_t page = rows.integer(1);
        const bool ordinary = page > 0;  // views and virtual tables have none
        found.push_back({std::string(rows.text(0)), ordinary && root_page_has_rows(file, page), ordinary});
    }
    if (!rows.problem().empty()) return fail(error("cannot be read"));
    return {};
}

Result<std::vector<std::string>> Database::columns(std::string_view table) {
    OPSIGHT_ASSIGN(Rows rows, query(fmt::format("PRAGMA table_info(\"{}\")", table)));
    std::vector<std::string> names;
    while (rows.next())
        names.emplace_back(rows.text(1));
    if (!rows.problem().empty()) return fail(error("cannot be read"));
    return names;
}

}  // namespace opsight::sqlite
