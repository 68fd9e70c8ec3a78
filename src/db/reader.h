// Opens a profile file for reading, and says clearly why where it cannot. A file may come from anybody: it is
// opened so that SQL in it can reach nothing else, and looked through before it is used (file_check.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/duckdb.h"

namespace opsight::db {

struct ReadOptions {
    int threads = 0;                 // 0: as many as the machine has, for a small profile one
    int64_t memory_limit_bytes = 0;  // 0: DuckDB's default
    std::string write_folder = {};   // where SQL may write files, with a slash at its end; empty: nowhere
    bool may_write = true;           // bring a file of an older schema up to date; else it is an error
};

// For tables written whole: of memory a large profile takes what it surely needs, and puts the rest of what
// it sorts and joins on the disk. Each thread holds some, so only a few take part.
ReadOptions with_little_memory(const std::string& path);

struct OpenProfile {
    duck::Database database;
    duck::Connection connection;
};

// Brings a file of version `from` to `from` + 1. Steps add tables, and columns at the end of tables: so an
// older file has the first columns of what the schema declares.
struct Migration {
    int from;
    std::string sql;
};
const std::vector<Migration>& migrations();

// The name that a column had in files of older versions, where a step gives it another; else empty.
std::string_view former_name(std::string_view table, std::string_view column);

// A file of an older schema version is first brought up to date in place, which needs write access to it.
Result<OpenProfile> open_profile(const std::string& path, const ReadOptions& options = {});

// Another connection to it, for a thread of its own; like that of open_profile it knows the names of
// sql_names.h.
Result<duck::Connection> connect(const duck::Database& database);

// Opens it to be written to. Nobody else may have it open meanwhile.
Result<OpenProfile> open_profile_to_change(const std::string& path);

// The steps of open_profile that a new schema version extends; `target` is the version that is wanted, `last`
// is SQL for the end of the last step.
Status migrate(duck::Connection& connection, int version, int target, const std::vector<Migration>& steps,
               const std::string& last = {});

}  // namespace opsight::db
