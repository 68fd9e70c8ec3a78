// Reading of SQLite files from outside: RAII over libsqlite3. The file is not trusted: it is opened
// read-only, nothing in its schema may run, and limits are set. Statements are texts of our own; names of
// tables and columns come from fixed lists, never from the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace opsight::sqlite {

// Rows of one statement. Column numbers count from 0.
class Rows {
  public:
    Rows(Rows&& other) noexcept : statement_(std::exchange(other.statement_, nullptr)), path_(other.path_) {}
    Rows& operator=(Rows&&) = delete;
    ~Rows();
    // The next row; false after the last one. An error (a damaged file) ends the rows too: see problem().
    bool next();
    const std::string& problem() const { return problem_; }

    bool is_null(int column) const;
    bool is_integer(int column) const;
    int64_t integer(int column) const;
    double real(int column) const;
    std::string_view text(int column) const;  // valid until next(); empty where it is NULL

  private:
    friend class Database;
    Rows(sqlite3_stmt* statement, std::string path) : statement_(statement), path_(std::move(path)) {}
    sqlite3_stmt* statement_;
    std::string path_, problem_;
};

class Database {
  public:
    // A file that another process writes, or that its writer left in the middle, is an error that says so.
    static Result<Database> open(const std::string& path);
    Database(Database&& other) noexcept
        : handle_(std::exchange(other.handle_, nullptr)),
          path_(std::move(other.path_)),
          is_cut_(other.is_cut_) {}
    Database& operator=(Database&&) = delete;
    ~Database();

    Result<Rows> query(const std::string& sql);
    // Tables; views and virtual tables are not ordinary, and never to be read.
    struct TableInfo {
        std::string name;
        bool has_rows = false, ordinary = true;
    };
    Result<std::vector<TableInfo>> tables();
    // Names of a table's columns, in order; `table` is a name of the caller's own.
    Result<std::vector<std::string>> columns(std::string_view table);
    const std::string& path() const { return path_; }
    // From the file so far, about.
    uint64_t bytes_read() const;
    // Whether the file ends before its header says; what is there can be read.
    bool is_cut() const { return is_cut_; }

  private:
    Database(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
    Error error(std::string what) const;
    Status list_tables(int file, std::vector<TableInfo>& found);
    sqlite3* handle_;
    std::string path_;
    bool is_cut_ = false;
};

}  // namespace opsight::sqlite
