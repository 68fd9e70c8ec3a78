// RAII over DuckDB's C API; only duckdb*.cpp see duckdb.h. Errors carry DuckDB's own words. A Connection
// serves one thread at a time; a Database any number of connections.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/sql.h"

namespace opsight::duck {

enum class Type : uint8_t {
    kBoolean,
    kTinyint,
    kUtinyint,
    kSmallint,
    kUsmallint,
    kInteger,
    kUinteger,
    kBigint,
    kDouble,
    kVarchar,
};
std::string_view type_name(Type type);  // as in SQL: "BIGINT"

struct OpenOptions {
    bool read_only = false;
    int threads = 0;                 // 0: as many as the machine has
    int64_t memory_limit_bytes = 0;  // 0: DuckDB's default, 80 % of the machine
    std::string write_folder = {};   // of attach(): where SQL may write files, with a slash at its end
    int block_bytes = 0;             // of a new file: 16384 to 262144, a power of two; 0: DuckDB's default
};

struct ResultColumn {
    std::string name;
    // The closest of the types above; integers of any width are kBigint, floats and decimals kDouble.
    Type type = Type::kVarchar;
};

// All rows of a query, row by row. Meant for answers, not for bulk data.
struct Rows {
    std::vector<ResultColumn> columns;
    std::vector<std::vector<Cell>> rows;
};

// Some rows of a scan, column by column.
class Batch {
  public:
    size_t size() const { return size_; }
    // T as wide as the column's type, which the statement fixes with CAST; what stands for NULL is anything.
    template <class T>
    const T* column(size_t index) const {
        return static_cast<const T*>(data_[index]);
    }
    // A bit for each row that has a value, 64 to a word; nullptr where all have one.
    const uint64_t* valid(size_t index) const { return valid_[index]; }

  private:
    friend class Connection;
    size_t size_ = 0;
    std::vector<const void*> data_;
    std::vector<const uint64_t*> valid_;
};

class Connection;

// A statement's answer, read bit by bit. Its connection must outlive it; another statement makes reads fail.
class Cursor {
  public:
    Cursor(Cursor&&) noexcept;
    Cursor& operator=(Cursor&&) noexcept;
    ~Cursor();
    const std::vector<ResultColumn>& columns() const { return columns_; }
    // Appends some more rows; false where there are no more.
    Result<bool> read(std::vector<std::vector<Cell>>& rows);

  private:
    friend class Connection;
    struct Handle;
    explicit Cursor(std::unique_ptr<Handle> handle);
    std::unique_ptr<Handle> handle_;
    std::vector<ResultColumn> columns_;
};

class Connection;

class Database {
  public:
    // A file of our own making. SQL in it may reach other files.
    static Result<Database> open(const std::string& path, const OpenOptions& options);
    // A file of anybody, as one more catalog, kAttached, of a database in memory: SQL can reach no other
    // file, no setting can be changed, and names are not looked up in the file before `check` has found it
    // harmless. It may ask on connections of its own beside the one that it is given.
    using Check = std::function<Status(const Database&, Connection&)>;
    static constexpr const char* kAttached = "profile";
    static Result<Database> attach(const std::string& path, const OpenOptions& options, const Check& check);
    Database(Database&&) noexcept;
    Database& operator=(Database&&) noexcept;
    ~Database();
    Result<Connection> connect() const;
    Database share() const { return Database(handle_); }  // another owner of the same open file

  private:
    struct Handle;
    explicit Database(std::shared_ptr<Handle> handle);
    static Result<std::shared_ptr<Handle>> make(const std::string& path, const OpenOptions& options);
    std::shared_ptr<Handle> handle_;
};

class Connection {
  public:
    Connection(Connection&&) noexcept;
    Connection& operator=(Connection&&) noexcept;
    ~Connection();
    // Runs one or more statements and drops their results.
    Status execute(const std::string& sql);
    Status execute(const Statement& statements) { return execute(statements.written()); }
    // Lets statements of this connection's database call `name(BIGINT, BIGINT) -> BIGINT`; NULL gives NULL.
    // Called from several threads at once.
    Status add_function(const std::string& name, std::function<int64_t(int64_t, int64_t)> function);
    // Runs one statement.
    Result<Rows> query(const Statement& statement);
    Result<Rows> query(const std::string& sql) { return query(Statement(sql)); }
    // The names of the columns that a statement gives, as it has them; it is not run.
    Result<std::vector<std::string>> column_names(const std::string& sql);
    // As query() for answers of any size: rows are made while they are read.
    Result<Cursor> open_cursor(const Statement& statement);
    // From any thread: the statement that runs now, if any, fails soon.
    void interrupt();
    // Runs one statement whose columns are numbers, and hands its rows over as they come: for bulk data.
    Status scan(const Statement& statement, const std::function<void(const Batch&)>& take);
    Status scan(const std::string& sql, const std::function<void(const Batch&)>& take) {
        return scan(Statement(sql), take);
    }

  private:
    friend class Database;
    friend class Appender;
    Result<Cursor> start(const Statement& statement, bool streaming);
    struct Handle;
    explicit Connection(std::unique_ptr<Handle> handle);
    std::unique_ptr<Handle> handle_;
};

// Appends rows to one table, kBatch at most at a time: fill the columns of the batch, then add() it.
class Appender {
  public:
    static constexpr size_t kBatch = 2048;

    static Result<Appender> create(Connection& connection, const std::string& schema,
                                   const std::string& table, const std::vector<Type>& types);
    Appender(Appender&&) noexcept;
    Appender& operator=(Appender&&) noexcept;
    ~Appender();

    // The place of the batch's rows of one fixed-width column; T as wide as the column's type.
    template <class T>
    T* column(size_t index) {
        return static_cast<T*>(data_[index]);
    }
    void set_text(size_t column, size_t row, std::string_view text);
    Status add(size_t rows);
    Status close();

  private:
    struct Handle;
    explicit Appender(std::unique_ptr<Handle> handle);
    void refresh();
    std::unique_ptr<Handle> handle_;
    std::vector<void*> data_;
};

}  // namespace opsight::duck
