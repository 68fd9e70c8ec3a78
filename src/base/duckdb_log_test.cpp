#include "base/duckdb_log.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/duckdb.h"
#include "base/test_files.h"

namespace opsight::duck {
namespace {

namespace fs = std::filesystem;

class DuckdbLog : public ::testing::Test {
  protected:
    static Status attach(const std::string& path, bool read_only) {
        OpenOptions options;
        options.read_only = read_only;
        auto opened =
            Database::attach(path, options, [](const Database&, Connection&) -> Status { return {}; });
        if (!opened) return fail(std::move(opened).error());
        return {};
    }
    void make(const std::string& name) {
        path_ = folder_.path() + "/" + name;
        auto database = Database::open(path_, {});
        ASSERT_TRUE(database) << database.error().message();
        ASSERT_TRUE(database->connect()->execute("CREATE TABLE t AS SELECT 1; CHECKPOINT"));
    }
    const opsight::testing::TempFolder folder_;
    std::string path_;
};

TEST_F(DuckdbLog, OnlyARegularFileIsTakenForOne) {
    make("a.opsight");
    const std::string log = log_beside(path_), victim = folder_.path() + "/victim";
    for (const bool read_only : {true, false}) {
        ASSERT_EQ(::mkfifo(log.c_str(), 0600), 0);
        const Status pipe = attach(path_, read_only);
        ASSERT_FALSE(pipe);
        EXPECT_NE(pipe.error().what.find("a.opsight.wal is not a regular file"), std::string::npos);
        fs::remove(log);
        fs::create_symlink(victim, log);
        EXPECT_FALSE(attach(path_, read_only)) << "one that leads nowhere would be made where it leads";
        EXPECT_FALSE(fs::exists(victim));
        fs::remove(log);
        EXPECT_TRUE(attach(path_, read_only));
    }
}

TEST_F(DuckdbLog, IsFoundWhereDuckdbLooks) {
    for (const char* name : {"plain.opsight", "a?b.opsight", "?", "two??marks"}) {
        make(name);
        EXPECT_TRUE(attach(path_, true)) << name;
        ASSERT_EQ(::mkfifo(log_beside(path_).c_str(), 0600), 0);
        EXPECT_FALSE(attach(path_, true)) << name;
    }
}

}  // namespace
}  // namespace opsight::duck
