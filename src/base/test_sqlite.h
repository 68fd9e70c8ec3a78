// SQLite files for tests, made with SQL.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>

namespace opsight::testing {

// Runs the statements on the file, which is created where it is missing.
inline void make_database(const std::string& path, const std::string& sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
    char* problem = nullptr;
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &problem), SQLITE_OK) << problem;
    sqlite3_free(problem);
    sqlite3_close(handle);
}

// Holds the lock of a writer on the file while it lives.
class WriteLock {
  public:
    explicit WriteLock(const std::string& path) {
        held_ = sqlite3_open(path.c_str(), &handle_) == SQLITE_OK &&
                sqlite3_exec(handle_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK;
    }
    ~WriteLock() { sqlite3_close(handle_); }
    WriteLock(const WriteLock&) = delete;
    WriteLock& operator=(const WriteLock&) = delete;
    bool held() const { return held_; }

  private:
    sqlite3* handle_ = nullptr;
    bool held_ = false;
};

}  // namespace opsight::testing
