#include "base/sqlite_writer.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

namespace opsight::sqlite {

Result<Writer> Writer::create(const std::string& path, std::string name, const char* schema) {
    sqlite3* handle = nullptr;
    const int opened =
        sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    Writer file(handle, std::move(name));
    if (opened != SQLITE_OK) return fail(file.problem());
    OPSIGHT_TRY(
        file.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA encoding = 'UTF-8'"));
    OPSIGHT_TRY(file.execute(schema));
    OPSIGHT_TRY(file.execute("BEGIN"));
    return file;
}

Writer::Writer(Writer&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      name_(std::move(other.name_)),
      statements_(std::exchange(other.statements_, {})),
      rows_(other.rows_) {}

Writer::~Writer() {
    for (sqlite3_stmt* statement : statements_)
        sqlite3_finalize(statement);
    sqlite3_close(handle_);
}

Error Writer::problem() const {
    return {fmt::format("cannot be written: {}", handle_ ? sqlite3_errmsg(handle_) : "out of memory"),
            name_,
            {},
            "is the disk full? Nothing was changed under this name"};
}

Status Writer::execute(const char* sql) {
    return sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) == SQLITE_OK ? Status() : fail(problem());
}

Result<size_t> Writer::prepare(const std::string& insert) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(handle_, insert.c_str(), -1, &statement, nullptr) != SQLITE_OK)
        return fail(problem());
    statements_.push_back(statement);
    return statements_.size() - 1;
}

Status Writer::add(size_t number, std::initializer_list<Value> values) {
    sqlite3_stmt* statement = statements_.at(number);
    int column = 0;
    for (const Value& value : values) {
        ++column;
        if (const auto* whole = std::get_if<int64_t>(&value))
            sqlite3_bind_int64(statement, column, *whole);
        else if (const auto* real = std::get_if<double>(&value))
            sqlite3_bind_double(statement, column, *real);
        else if (const auto* text = std::get_if<std::string_view>(&value))
            sqlite3_bind_text64(statement, column, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
        else
            sqlite3_bind_null(statement, column);
    }
    const bool added = sqlite3_step(statement) == SQLITE_DONE;
    if (!added) return fail(problem());
    sqlite3_reset(statement);
    if (++rows_ < kRowsOfTransaction) return {};
    rows_ = 0;
    return execute("COMMIT; BEGIN");
}

Status Writer::finish() {
    OPSIGHT_TRY(execute("COMMIT"));
    for (sqlite3_stmt* statement : std::exchange(statements_, {}))
        sqlite3_finalize(statement);
    if (sqlite3_close(handle_) != SQLITE_OK) return fail(problem());
    handle_ = nullptr;
    return {};
}

}  // namespace opsight::sqlite
