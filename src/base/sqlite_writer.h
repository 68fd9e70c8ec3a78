// A SQLite file that is made anew. It is nobody else's while it is written, so it has no journal: a failure
// leaves a file that is to be thrown away.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace opsight::sqlite {

// NULL, a number or a text.
using Value = std::variant<std::nullptr_t, int64_t, double, std::string_view>;

class Writer {
  public:
    // `schema`: statements that make the tables. `name`: of the file in messages.
    static Result<Writer> create(const std::string& path, std::string name, const char* schema);
    Writer(Writer&& other) noexcept;
    Writer& operator=(Writer&&) = delete;
    ~Writer();

    // A statement that adds a row to a table, by number: "INSERT INTO t VALUES (?, ?)".
    Result<size_t> prepare(const std::string& insert);
    // Rows are gathered in transactions.
    Status add(size_t statement, std::initializer_list<Value> values);
    // Writes what is left, and closes the file.
    Status finish();

  private:
    static constexpr int64_t kRowsOfTransaction = 100'000;
    Writer(sqlite3* handle, std::string name) : handle_(handle), name_(std::move(name)) {}
    Status execute(const char* sql);
    Error problem() const;

    sqlite3* handle_;
    std::string name_;
    std::vector<sqlite3_stmt*> statements_;
    int64_t rows_ = 0;  // since the transaction began
};

}  // namespace opsight::sqlite
